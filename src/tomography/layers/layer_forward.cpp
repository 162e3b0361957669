#include "tomography/layers/layer_forward.hpp"

#include <utility>

#include "core/bytes.hpp"
#include "core/parallel.hpp"
#include "core/ranks.hpp"
#include "phases/derivatives.hpp"
#include "tomography/layers/first_arrival_check.hpp"

namespace fermat {
namespace {

struct RowEntry {
    std::int32_t number;
    double value;
};

Bytes packed_picks(const std::vector<PredictedPick>& picks) {
    ByteWriter out;
    out.add(picks.size());
    for (const PredictedPick& pick : picks) {
        out.add(pick.status);
        out.add(pick.time);
        out.add(pick.by_source);
        std::vector<RowEntry> row;
        for (const auto& [number, value] : pick.row) row.push_back({number, value});
        out.add(row);
    }
    return out.take();
}

std::vector<PredictedPick> unpacked_picks(const Bytes& bytes) {
    ByteReader in(bytes);
    std::vector<PredictedPick> out(in.take<std::size_t>());
    for (PredictedPick& pick : out) {
        pick.status = in.take<BranchStatus>();
        pick.time = in.take<double>();
        pick.by_source = in.take<Vec3>();
        for (const RowEntry& entry : in.take_vector<RowEntry>()) {
            pick.row.emplace_back(entry.number, entry.value);
        }
    }
    return out;
}

}  // namespace

LayerForward::LayerForward(const LayeredMedium& start, const PhasePicks& picks,
                           const PhaseOptions& rays, const Execution& execution)
    : picks_(picks), rays_(rays), execution_(execution) {
    for (const std::string& name : picks.phases) branches_.push_back(branch_of(start, name));
    for (const Station& station : picks.survey.stations) receivers_.push_back(station.position);
}

std::vector<PredictedPick> LayerForward::predict(const LayerUnknowns& unknowns,
                                                 std::span<const double> x,
                                                 const LayeredMedium& medium,
                                                 std::span<const Vec3> sources) const {
    const Survey& survey = picks_.survey;
    Ranks& ranks = execution_.ranks;
    const auto rank = static_cast<std::size_t>(ranks.rank());
    const auto size = static_cast<std::size_t>(ranks.size());
    const int threads = resolve_threads(execution_.threads);
    // Each rank takes a stretch of every branch's picks; a pick's numbers do not depend on which.
    std::vector<std::vector<std::size_t>> numbers(branches_.size());
    std::vector<PredictedPick> own;
    const auto stretch = [&](std::size_t count, std::size_t of) { return count * of / size; };
    together(ranks, [&] {
        for (std::size_t b = 0; b < branches_.size(); ++b) {
            numbers[b] = picks_of(picks_, b);
            const std::size_t first = stretch(numbers[b].size(), rank);
            const std::size_t last = stretch(numbers[b].size(), rank + 1);
            std::vector<RayPair> pairs;
            for (std::size_t i = first; i < last; ++i) {
                const Arrival& arrival = survey.arrivals[numbers[b][i]];
                pairs.push_back({arrival.event, arrival.station});
            }
            const std::vector<BranchRay> found = trace_checked(
                medium, branches_[b], sources, receivers_, pairs, rays_, execution_.alone());
            const std::size_t begin = own.size();
            own.resize(begin + pairs.size());
            parallel_for(static_cast<std::int64_t>(pairs.size()), threads, [&](std::int64_t i) {
                const auto k = static_cast<std::size_t>(i);
                const BranchRay& ray = found[k];
                PredictedPick& pick = own[begin + k];
                pick.status = ray.status;
                pick.time = ray.time;
                if (!has_arrived(ray.status)) return;
                const BranchDerivative by = derivative_of(medium, ray);
                pick.by_source = by.source;
                pick.row = unknowns.row_of(x, medium, by);
            });
            execution_.monitor.check();
        }
    });
    std::vector<PredictedPick> out;
    const auto place = [&](std::vector<PredictedPick>&& part, std::size_t of) {
        std::size_t next = 0;
        for (const auto& list : numbers) {
            for (std::size_t i = stretch(list.size(), of); i < stretch(list.size(), of + 1); ++i) {
                out[list[i]] = std::move(part[next++]);
            }
        }
    };
    if (size == 1) {
        out.resize(survey.arrivals.size());
        place(std::move(own), 0);
        return out;
    }
    const std::vector<Bytes> all = gather(ranks, packed_picks(own));
    // Nobody sends anything else before rank 0 has heard all.
    broadcast_value(ranks, true);
    if (!ranks.is_root()) return out;
    out.resize(survey.arrivals.size());
    for (std::size_t r = 0; r < size; ++r) place(unpacked_picks(all[r]), r);
    return out;
}

}  // namespace fermat
