#include "tomography/hole/backprojection.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "core/deal.hpp"
#include "core/error.hpp"
#include "core/parallel.hpp"
#include "core/stopwatch.hpp"
#include "rays/event_tracer.hpp"
#include "rays/sensitivity.hpp"
#include "tomography/run_fingerprint.hpp"

namespace fermat {
namespace {

/// What the rays of one source are, as it travels from a rank to rank 0.
struct SourceRays {
    std::vector<double> time;
    std::vector<double> length;
    std::vector<RayStatus> status;
    std::vector<std::int64_t> row_start;
    std::vector<std::int64_t> cell;
    std::vector<double> length_in_cell;  ///< empty where it does not count
    double field_seconds = 0;
    double ray_seconds = 0;

    Bytes pack() const {
        ByteWriter out;
        out.add(time);
        out.add(length);
        out.add(status);
        out.add(row_start);
        out.add(cell);
        out.add(length_in_cell);
        out.add(field_seconds);
        out.add(ray_seconds);
        return out.take();
    }
    static SourceRays unpack(const Bytes& bytes) {
        ByteReader in(bytes);
        SourceRays rays;
        rays.time = in.take_vector<double>();
        rays.length = in.take_vector<double>();
        rays.status = in.take_vector<RayStatus>();
        rays.row_start = in.take_vector<std::int64_t>();
        rays.cell = in.take_vector<std::int64_t>();
        rays.length_in_cell = in.take_vector<double>();
        rays.field_seconds = in.take<double>();
        rays.ray_seconds = in.take<double>();
        return rays;
    }
};

SourceRays rays_of_source(const Model& model, const EventTracer& tracer, const Survey& picks,
                          std::int32_t source, std::span<const std::int32_t> numbers,
                          RayShare share, const Execution& execution) {
    SourceRays out;
    if (numbers.empty()) return out;
    const Event& event = picks.events[static_cast<std::size_t>(source)];
    PointSource point = event.source();
    const Stopwatch watch;
    EventWork work;
    const RaySet rays = tracer.trace(point, source, listeners_of(picks, numbers), execution, &work);
    out.field_seconds = work.field_seconds;
    SparseRows rows = sensitivity(model, rays, Basis::cells, execution.threads);
    for (const RayInfo& ray : rays.rays) {
        out.time.push_back(ray.field_time);
        out.length.push_back(ray.length);
        out.status.push_back(ray.status);
    }
    out.row_start = std::move(rows.row_start);
    out.cell = std::move(rows.column);
    if (share == RayShare::length) out.length_in_cell = std::move(rows.value);
    out.ray_seconds = watch.seconds() - out.field_seconds;
    return out;
}

/// Adds one source's rays, in the order of its picks.
class Adder {
  public:
    Adder(const Survey& picks, const BackprojectionOptions& options, Shape cells)
        : ledger_(picks, options.picks),
          sums_{Field<double>(cells, 0), Field<double>(cells, 0), Field<float>(cells, 0)} {}

    void add(const SourceRays& rays, std::span<const std::int32_t> numbers) {
        for (std::size_t r = 0; r < numbers.size(); ++r) {
            const auto projection = ledger_.book(static_cast<std::size_t>(numbers[r]), rays.time[r],
                                                 rays.length[r], rays.status[r]);
            if (projection) spread(rays, r, *projection);
        }
        field_seconds_ += rays.field_seconds;
        ray_seconds_ += rays.ray_seconds;
    }
    Backprojection take() {
        const double both = field_seconds_ + ray_seconds_;
        return {{ledger_.take(), 0, both > 0 ? ray_seconds_ / both : 0}, std::move(sums_)};
    }

  private:
    void spread(const SourceRays& rays, std::size_t ray, const RayProjection& projection) {
        const bool by_length = !rays.length_in_cell.empty();
        for (auto e = rays.row_start[ray]; e < rays.row_start[ray + 1]; ++e) {
            const auto entry = static_cast<std::size_t>(e);
            const auto cell = static_cast<std::size_t>(rays.cell[entry]);
            const double share =
                by_length ? projection.weight * rays.length_in_cell[entry] : projection.weight;
            sums_.perturbation[cell] += share * projection.perturbation;
            sums_.weight[cell] += share;
            sums_.count[cell] += 1;
        }
    }

    PickLedger ledger_;
    CellSums sums_;
    double field_seconds_ = 0;
    double ray_seconds_ = 0;
};

}  // namespace

Backprojection backproject(const Model& model, const Survey& picks,
                           const BackprojectionOptions& options, const Execution& execution) {
    Ranks& ranks = execution.ranks;
    Monitor& monitor = execution.monitor;
    const Stopwatch watch;
    require_same_pass(ranks, model, picks, options);
    const auto lists = by_event(picks);
    const auto count = static_cast<std::int64_t>(lists.size());
    const int threads = resolve_threads(execution.threads);
    // Sources in parallel first; threads that are left over share the work of one.
    const std::int64_t share = (count + ranks.size() - 1) / ranks.size();
    const int outer = static_cast<int>(std::clamp<std::int64_t>(share, 1, threads));
    const Execution inner = execution.alone().with_threads(threads / outer).on(Device::cpu);

    const EventTracer tracer(model, options.rays, execution.alone().on(Device::cpu));
    std::optional<Adder> adder;
    if (ranks.is_root()) adder.emplace(picks, options, model.grid().cell_shape());
    monitor.begin("times and rays", static_cast<std::int64_t>(picks.arrivals.size()));
    deal_in_order(
        ranks, count, outer,
        [&](std::int64_t s) {
            monitor.check();
            return rays_of_source(model, tracer, picks, static_cast<std::int32_t>(s),
                                  lists[static_cast<std::size_t>(s)], options.share, inner)
                .pack();
        },
        [&](std::int64_t s, const Bytes& bytes) {
            const auto& numbers = lists[static_cast<std::size_t>(s)];
            if (!numbers.empty()) adder->add(SourceRays::unpack(bytes), numbers);
            monitor.advance(static_cast<std::int64_t>(numbers.size()));
        },
        monitor);
    monitor.end();
    Backprojection out;
    if (adder) out = adder->take();
    out.report.seconds = watch.seconds();
    return out;
}

}  // namespace fermat
