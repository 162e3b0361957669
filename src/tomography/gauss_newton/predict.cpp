#include "tomography/gauss_newton/predict.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "core/bytes.hpp"
#include "core/deal.hpp"
#include "core/parallel.hpp"
#include "core/stopwatch.hpp"
#include "eikonal/metric/factor.hpp"
#include "model/metric.hpp"
#include "rays/event_tracer.hpp"
#include "rays/sensitivity_row.hpp"
#include "tomography/pick_ledger.hpp"

namespace fermat {
namespace {

/// Some picks' part of a prediction, as it travels from a rank to rank 0. Rows stay behind.
struct Lot {
    std::vector<double> time;
    std::vector<Vec3> slope;
    EventWork work;
    double ray_seconds = 0;

    Bytes pack() const {
        ByteWriter out;
        out.add(time);
        out.add(slope);
        out.add(work);
        out.add(ray_seconds);
        return out.take();
    }
    static Lot unpack(const Bytes& bytes) {
        ByteReader in(bytes);
        Lot lot;
        lot.time = in.take_vector<double>();
        lot.slope = in.take_vector<Vec3>();
        lot.work = in.take<EventWork>();
        lot.ray_seconds = in.take<double>();
        return lot;
    }
};

/// Turns rows of samples into rows of unknowns, one ray after another.
class RowFolder {
  public:
    RowFolder(const Unknowns& unknowns, std::span<const float> slopes)
        : unknowns_(unknowns), slopes_(slopes), sums_(unknowns.size(), 0.0) {}

    void fold(std::span<const RowEntry> row, UnknownRows& out) {
        touched_.clear();
        for (const RowEntry& entry : row) {
            const auto sample = static_cast<std::size_t>(entry.column);
            const double value = entry.value * static_cast<double>(slopes_[sample]);
            if (value == 0) continue;
            unknowns_.for_each_of_sample(sample, [&](std::size_t unknown, double weight) {
                if (sums_[unknown] == 0) touched_.push_back(static_cast<std::int32_t>(unknown));
                sums_[unknown] += weight * value;
            });
        }
        std::sort(touched_.begin(), touched_.end());
        for (const std::int32_t unknown : touched_) {
            out.column.push_back(unknown);
            out.value.push_back(static_cast<float>(sums_[static_cast<std::size_t>(unknown)]));
            sums_[static_cast<std::size_t>(unknown)] = 0;
        }
        out.start.push_back(static_cast<std::int64_t>(out.column.size()));
    }

  private:
    const Unknowns& unknowns_;
    std::span<const float> slopes_;
    std::vector<double> sums_;
    std::vector<std::int32_t> touched_;
};

/// Counts, per cell, the rays that cross it. Several may add to the same counts at once.
class CrossingCounter {
  public:
    CrossingCounter(const Model& model, std::vector<std::int32_t>& counts)
        : model_(model), counts_(counts), seen_(counts.size(), 0) {}

    /// After the row of the ray was made.
    void add(RowMaker& maker, std::span<const RowEntry> row, const RayInfo& ray,
             std::span<const Vec3> path) {
        if (counts_.empty() || !std::isfinite(ray.field_time) || !(ray.length > 0)) return;
        ++rays_;
        if (model_.cells()) {
            for (const RowEntry& entry : row) count(entry.column);
        } else if (!model_.is_plain()) {
            for (const RowEntry& entry : maker.cells(path)) count(entry.column);
        } else {
            for (const std::int64_t cell : maker.crossed()) count(cell);
        }
    }

  private:
    void count(std::int64_t cell) {
        const auto n = static_cast<std::size_t>(cell);
        if (std::exchange(seen_[n], rays_) == rays_) return;
        std::atomic_ref(counts_[n]).fetch_add(1, std::memory_order_relaxed);
    }

    const Model& model_;
    std::vector<std::int32_t>& counts_;
    std::vector<std::uint32_t> seen_;  ///< per cell: the last ray that crossed it
    std::uint32_t rays_ = 0;
};

/// What makes rows on one thread.
struct RowTools {
    RowTools(const Model& model, const Unknowns& unknowns, std::span<const float> slopes,
             std::vector<std::int32_t>& crossings)
        : folder(unknowns, slopes), counter(model, crossings) {}

    RowFolder folder;
    CrossingCounter counter;
};

/// The time that a pick is compared with. The field is the more accurate where all corners of the
/// receiver's cell are reached. Along the ground, where corners in air have no time, it is too
/// early by up to a cell's crossing, which is many errors of a pick in slow ground; slowness along
/// the ray has no such bias, and is what the rows are derivatives of.
double time_of(const Model& model, const RayInfo& ray) {
    return model.has_air() ? ray.time : ray.field_time;
}

/// Rows of all rays; made by some threads and put together in the order of the rays.
UnknownRows rows_of(const Model& model, const RaySet& rays, const Unknowns& unknowns,
                    std::span<const float> slopes, int threads,
                    std::vector<std::int32_t>& crossings) {
    constexpr std::size_t lot_size = 32;
    std::vector<UnknownRows> lots((rays.size() + lot_size - 1) / lot_size);
    std::vector<std::optional<RowTools>> tools(static_cast<std::size_t>(threads));
    parallel_for(static_cast<std::int64_t>(lots.size()), threads, [&](std::int64_t n) {
        const auto lot = static_cast<std::size_t>(n);
        auto& own = tools[threads == 1 ? 0 : static_cast<std::size_t>(thread_index())];
        if (!own) own.emplace(model, unknowns, slopes, crossings);
        RowMaker maker(model);
        const std::size_t end = std::min(rays.size(), (lot + 1) * lot_size);
        for (std::size_t r = lot * lot_size; r < end; ++r) {
            if (!has_arrived(rays.rays[r].status)) {
                own->folder.fold({}, lots[lot]);
                continue;
            }
            const auto path = rays.path(r);
            const auto row = model.cells() ? maker.cells(path) : maker.node_parts(path);
            own->folder.fold(row, lots[lot]);
            own->counter.add(maker, row, rays.rays[r], path);
        }
    });
    UnknownRows out;
    std::size_t entries = 0;
    for (const UnknownRows& lot : lots) entries += lot.entries();
    out.column.reserve(entries);
    out.value.reserve(entries);
    for (UnknownRows& lot : lots) {
        const auto before = static_cast<std::int64_t>(out.column.size());
        for (std::size_t r = 1; r < lot.start.size(); ++r) {
            out.start.push_back(before + lot.start[r]);
        }
        out.column.insert(out.column.end(), lot.column.begin(), lot.column.end());
        out.value.insert(out.value.end(), lot.value.begin(), lot.value.end());
        lot = {};
    }
    return out;
}

/// Who computes, and how many sources at once.
struct Team {
    std::int64_t sources_per_job = 1;
    int jobs = 1;     ///< at once
    int threads = 1;  ///< of each job
};

Team team_for(std::size_t sources, bool cuda, const Execution& execution) {
    const int threads = resolve_threads(execution.threads);
    if (cuda) return {64, 1, threads};
    // Sources in parallel first; threads that are left over share the work of one.
    const auto count = static_cast<std::int64_t>(sources);
    const int ranks = execution.ranks.size();
    const std::int64_t share = (count + ranks - 1) / ranks;
    const int jobs = static_cast<int>(std::clamp<std::int64_t>(share, 1, threads));
    return {1, jobs, threads / jobs};
}

/// Rays of one event.
RaySet rays_of_event(const EventTracer& tracer, const Survey& shot, const Execution& execution,
                     EventWork& work) {
    return tracer.trace(shot.events.front().source(), 0, listeners_of(shot, by_event(shot).front()),
                        execution, &work);
}

/// receiver_slope in any medium and coordinates.
Vec3 slope_in_metric(const Model& model, std::span<const Vec3> path) {
    const Mapping& mapping = model.mapping();
    const Vec3 q = mapping.to_grid(path.front());
    const Mat3 jacobian = mapping.jacobian(q);
    double enough = std::numeric_limits<double>::infinity();
    for (int axis = 0; axis < 3; ++axis) {
        if (model.grid().shape[axis] == 1) continue;
        const Vec3 edge{jacobian(0, axis), jacobian(1, axis), jacobian(2, axis)};
        enough = std::min(enough, 0.25 * norm(edge) * model.grid().spacing[axis]);
    }
    Vec3 way;
    for (const Vec3& point : path) {
        way = mapping.place(q) - mapping.place(mapping.to_grid(point));
        if (norm(way) >= enough) break;
    }
    const Vec3 at = model.grid().clamp(q);
    if (!(norm(way) > 0) || !std::isfinite(metric_slowness(model, at))) return {};
    const Vec3 flat = mapping.flat_from_user(path.front());
    return transposed(model.place().flat_jacobian(flat)) * line_slowness(model, at, way);
}

/// `tracer` is null where a CUDA device traces many events at once; else there is one event.
Lot lot_of(const Model& model, const Survey& shots, const EventTracer* tracer,
           const Unknowns& unknowns, std::span<const float> slopes, const RayOptions& options,
           const PredictionExtras& extras, const Execution& execution, UnknownRows& rows,
           std::vector<std::int32_t>& crossings) {
    Lot lot;
    if (shots.arrivals.empty()) return lot;
    const Stopwatch watch;
    Monitor stop_only({}, [&] { return execution.monitor.stop_requested(); });
    const Execution own = execution.heard_by(stop_only);
    RayOptions as_given = options;
    as_given.reciprocity = Reciprocity::off;  // the survey is turned round already where that pays
    const RaySet rays = tracer == nullptr ? trace_rays(model, shots, as_given, own)
                                          : rays_of_event(*tracer, shots, own, lot.work);
    for (const RayInfo& ray : rays.rays) {
        const bool arrived = has_arrived(ray.status);
        lot.time.push_back(arrived ? time_of(model, ray)
                                   : std::numeric_limits<double>::quiet_NaN());
    }
    for (std::size_t r = 0; extras.receiver_slopes && r < rays.size(); ++r) {
        const bool arrived = has_arrived(rays.rays[r].status);
        lot.slope.push_back(arrived ? receiver_slope(model, rays.path(r)) : Vec3{});
    }
    rows = rows_of(model, rays, unknowns, slopes, execution.threads, crossings);
    lot.ray_seconds = watch.seconds() - lot.work.field_seconds;
    return lot;
}

/// Adds the times of a job's picks to a prediction.
struct Gathering {
    Prediction& out;
    double field_seconds = 0;
    double ray_seconds = 0;

    void add(const Lot& lot, std::span<const std::int32_t> picks) {
        for (std::size_t r = 0; r < picks.size(); ++r) {
            const auto pick = static_cast<std::size_t>(picks[r]);
            out.time[pick] = lot.time[r];
            if (!out.receiver_slope.empty()) out.receiver_slope[pick] = lot.slope[r];
        }
        field_seconds += lot.work.field_seconds;
        out.first_order_events += lot.work.first_order ? 1 : 0;
        out.coarse_events += lot.work.coarse_beside_jumps ? 1 : 0;
        ray_seconds += lot.ray_seconds;
        const double both = field_seconds + ray_seconds;
        out.ray_fraction = both > 0 ? ray_seconds / both : 0;
    }
};

}  // namespace

Vec3 receiver_slope(const Model& model, std::span<const Vec3> path) {
    if (path.empty()) return {};
    if (!model.is_plain()) return slope_in_metric(model, path);
    // The first points may lie so close that rounding turns their line.
    const Vec3 h = model.grid().spacing;
    const double enough = 0.25 * std::min(h.x, h.z);
    Vec3 way;
    for (const Vec3& point : path) {
        way = path.front() - point;
        if (norm(way) >= enough) break;
    }
    const double length = norm(way);
    const double slowness = slowness_at(model, path.front());
    return length > 0 && std::isfinite(slowness) ? (slowness / length) * way : Vec3{};
}

Prediction predict(const Model& model, const Survey& picks, const Unknowns& unknowns,
                   std::span<const float> slopes, const RayOptions& options,
                   const Execution& execution, const PredictionExtras& extras) {
    Ranks& ranks = execution.ranks;
    Monitor& monitor = execution.monitor;
    const Stopwatch watch;
    const auto lists = by_event(picks);
    const bool cuda =
        follows_a_field(options.tracer) && traces_on_cuda(options, execution.device, model);
    const Execution own = execution.alone().on(cuda ? execution.device : Device::cpu);
    std::optional<EventTracer> tracer;
    if (!cuda) tracer.emplace(model, options, own);
    const Team team = team_for(lists.size(), cuda, execution);
    const auto per_job = static_cast<std::size_t>(team.sources_per_job);
    const std::size_t jobs = (lists.size() + per_job - 1) / per_job;
    const auto picks_of_job = [&](std::size_t job) {
        std::vector<std::int32_t> numbers;
        const std::size_t end = std::min(lists.size(), (job + 1) * per_job);
        for (std::size_t e = job * per_job; e < end; ++e) {
            numbers.insert(numbers.end(), lists[e].begin(), lists[e].end());
        }
        return numbers;
    };

    Prediction out;
    if (ranks.is_root()) {
        out.time.resize(picks.arrivals.size());
        if (extras.receiver_slopes) out.receiver_slope.resize(picks.arrivals.size());
    }
    if (extras.crossings) out.crossings.assign(model.grid().cell_shape().count(), 0);
    Gathering gathering{out};
    std::vector<RowLot> kept(jobs);  // of the jobs that this rank is dealt
    monitor.begin("times and rays", static_cast<std::int64_t>(picks.arrivals.size()));
    deal_in_order(
        ranks, static_cast<std::int64_t>(jobs), team.jobs,
        [&](std::int64_t job) {
            monitor.check();
            const auto n = static_cast<std::size_t>(job);
            kept[n].picks = picks_of_job(n);
            const Survey shots = compact(picks, kept[n].picks);
            return lot_of(model, shots, tracer ? &*tracer : nullptr, unknowns, slopes, options,
                          extras, own.with_threads(team.threads), kept[n].rows, out.crossings)
                .pack();
        },
        [&](std::int64_t job, const Bytes& bytes) {
            const auto numbers = picks_of_job(static_cast<std::size_t>(job));
            gathering.add(Lot::unpack(bytes), numbers);
            monitor.advance(static_cast<std::int64_t>(numbers.size()));
        },
        monitor);
    monitor.end();
    for (RowLot& lot : kept) {
        if (!lot.picks.empty()) out.rows.push_back(std::move(lot));
    }
    out.seconds = watch.seconds();
    return out;
}

Field<float> coverage_of(const std::vector<std::int32_t>& crossings, const Grid& grid,
                         Ranks& ranks) {
    ByteWriter own;
    own.add(crossings);
    const std::vector<Bytes> all = gather(ranks, own.take());
    if (!ranks.is_root()) return {};
    Field<float> coverage(grid.cell_shape(), 0.0F);
    for (const Bytes& bytes : all) {
        const auto counts = ByteReader(bytes).take_vector<std::int32_t>();
        for (std::size_t n = 0; n < counts.size(); ++n) {
            coverage[n] += static_cast<float>(counts[n]);
        }
    }
    return coverage;
}

}  // namespace fermat
