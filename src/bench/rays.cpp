#include "bench/rays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <vector>

#include "bench/measure.hpp"
#include "bench/table.hpp"
#include "core/version.hpp"
#include "model/makers.hpp"
#include "rays/rays.hpp"
#include "rays/sensitivity.hpp"

namespace fermat::bench {
namespace {

constexpr double survey_side = 10;
constexpr Vec3 source{5, 5, 0.5};

Grid cube(int nodes) {
    const double h = survey_side / (nodes - 1);
    return {{nodes, nodes, nodes}, {}, {h, h, h}};
}

std::vector<Vec3> random_receivers(int count) {
    std::mt19937_64 random(1);
    const auto along = [&] {
        return survey_side * (static_cast<double>(random() >> 11) * 0x1p-53);
    };
    std::vector<Vec3> receivers;
    for (int r = 0; r < count; ++r) {
        const double x = along();
        const double y = along();
        receivers.push_back({x, y, along()});
    }
    return receivers;
}

/// Relative differences between the times along rays and those of the field.
struct TimeErrors {
    double median = 0;
    double max = 0;
};

TimeErrors time_errors(const RaySet& rays) {
    std::vector<double> errors;
    for (const RayInfo& ray : rays.rays) {
        if (ray.field_time > 0) errors.push_back(std::abs(ray.time / ray.field_time - 1));
    }
    return {median(errors), *std::max_element(errors.begin(), errors.end())};
}

class RayRows {
  public:
    RayRows(const RaysBench& options, Monitor& monitor, BenchTable& table)
        : options_(options),
          monitor_(monitor),
          table_(table),
          receivers_(random_receivers(options.rays)),
          numbers_(receivers_.size()) {
        std::iota(numbers_.begin(), numbers_.end(), 0);
    }

    void run(std::string_view medium, const Model& model) {
        const Execution execution = on_cpu(options_.threads, monitor_);
        const TimeField field = solve(model, {source}, {}, execution);
        const RaySet rays = trace(medium, model, field, Tracer::descent);
        add_row(medium, model, "sensitivity", rays,
                [&] { sensitivity(model, rays, Basis::nodes, options_.threads); });
        trace(medium, model, field, Tracer::cells);
    }

  private:
    RaySet trace(std::string_view medium, const Model& model, const TimeField& field,
                 Tracer tracer) {
        RayOptions options;
        options.tracer = tracer;
        const auto work = [&] {
            return trace_rays(model, field, 0, {receivers_, numbers_}, options,
                              on_cpu(options_.threads, monitor_));
        };
        const RaySet rays = work();
        add_row(medium, model, name_of(tracer), rays, work);
        return rays;
    }

    template <class Work>
    void add_row(std::string_view medium, const Model& model, std::string_view what,
                 const RaySet& rays, Work work) {
        const double seconds = median_seconds(options_.repeats, work);
        const TimeErrors errors = time_errors(rays);
        const auto lost = std::count_if(rays.rays.begin(), rays.rays.end(),
                                        [](const RayInfo& r) { return !has_arrived(r.status); });
        const auto count = static_cast<double>(rays.size());
        table_.add({medium, std::int64_t{model.grid().shape.x}, what,
                    static_cast<std::int64_t>(rays.size()), std::int64_t{options_.threads}, seconds,
                    count / seconds, static_cast<double>(rays.points.size()) / count, errors.median,
                    errors.max, static_cast<std::int64_t>(lost)});
    }

    const RaysBench& options_;
    Monitor& monitor_;
    BenchTable& table_;
    std::vector<Vec3> receivers_;
    std::vector<std::int32_t> numbers_;
};

}  // namespace

void bench_rays(const RaysBench& options, Monitor& monitor) {
    BenchTable table(
        fmt::format("fermat {}: rays in cubes of 10 km, source (5, 5, 0.5), random receivers, "
                    "median of {}\n"
                    "  gradient     v = 2 + 0.5 z km/s\n"
                    "  smooth       random, 3 km/s, at most 30 % off\n"
                    "  sensitivity  rows of the matrix by nodes, of the rays above\n"
                    "  errors       time along the ray beside the field's, relative",
                    version, options.repeats),
        {"medium", "nx", "tracer", "rays", "threads", "seconds", "rays_per_s", "points_per_ray",
         "median_error", "max_error", "rays_lost"},
        options.csv);
    RayRows bench(options, monitor, table);
    for (const int nodes : {64, 128, 256}) {
        if (nodes > options.largest) continue;
        bench.run("gradient", gradient_model(cube(nodes), 2, 0.5));
        bench.run("smooth", random_smooth_model(cube(nodes), {3, 0.3, 2.5, 7}));
    }
    table.commit();
}

}  // namespace fermat::bench
