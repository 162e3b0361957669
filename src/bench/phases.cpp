#include "bench/phases.hpp"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "bench/measure.hpp"
#include "bench/table.hpp"
#include "core/device.hpp"
#include "core/version.hpp"
#include "phases/phases.hpp"

namespace fermat::bench {
namespace {

constexpr double side = 100;  // km

Model model_of(const Grid& grid, const std::function<double(Vec3)>& velocity) {
    Field<float> values(grid.shape);
    for (int i = 0; i < grid.shape.x; ++i) {
        for (int j = 0; j < grid.shape.y; ++j) {
            for (int k = 0; k < grid.shape.z; ++k) {
                values(i, j, k) = static_cast<float>(velocity(grid.position({i, j, k})));
            }
        }
    }
    return Model(grid, std::move(values));
}

/// An interface of that depth with relief.
Interface waves(const char* name, const Grid& grid, double depth, double relief) {
    const Lattice at = columns_of(Place(grid));
    std::vector<double> values;
    for (int i = 0; i < at.nx; ++i) {
        for (int j = 0; j < at.ny; ++j) {
            values.push_back(depth + relief * std::sin(at.x(i) / 14) * std::cos(at.y(j) / 17));
        }
    }
    return Interface(name, at, std::move(values));
}
Interface moho_of(const Grid& grid) { return waves("moho", grid, 35, 2); }
Interface basin_of(const Grid& grid) { return waves("basin", grid, 3, 0.5); }

}  // namespace

void bench_phases(const PhasesBench& options, const Execution& execution) {
    const bool on_device = on_cuda(execution.device);
    BenchTable table(
        fmt::format("fermat {}: reflections (PmP) on {}, median of {}\n"
                    "  a cube of {} nodes and 100 km a side, a Moho at 35 km with 2 km of relief\n"
                    "  2 layers: below a basin of 3 km with 0.5 km of relief; three legs\n"
                    "  s_in_all  with velocities sent and all points fetched",
                    version, on_device ? device_info(0).name : "the CPU", options.repeats,
                    options.nodes),
        {"medium", "rays", "s_in_all", "krays_per_s", "points_per_ray", "arrived", "mean_time"},
        options.csv);
    const int n = options.nodes;
    const double h = side / (n - 1);
    const Grid grid{{n, n, n}, {}, {h, h, h}};
    std::mt19937_64 random(1);
    const auto along = [&] { return 10 + 80 * (static_cast<double>(random() >> 11) * 0x1p-53); };
    // As many sources as receivers, so that all pairs are the rays.
    const int each = std::max(1, static_cast<int>(std::lround(std::sqrt(options.rays))));
    std::vector<Vec3> sources;
    std::vector<Vec3> receivers;
    for (int i = 0; i < each; ++i) {
        const double x = along();
        const double y = along();
        sources.push_back({x, y, 5});
        const double rx = along();
        receivers.push_back({rx, along(), 0});
    }
    const std::vector<RayPair> pairs = all_pairs(sources.size(), receivers.size());
    const auto smooth = [](Vec3 p) { return 5.5 + 0.03 * p.z; };
    const auto anomalies = [](Vec3 p) {
        return 5.5 + 0.03 * p.z + 0.2 * std::sin(p.x / 11) * std::cos(p.y / 13);
    };
    const std::vector<std::pair<const char*, std::function<double(Vec3)>>> crusts{
        {"uniform", [](Vec3) { return 6.0; }},
        {"gradient", smooth},
        {"anomalies", anomalies},
        {"2 layers", smooth},
        {"2 layers, anomalies", anomalies},
    };
    for (const auto& [name, velocity] : crusts) {
        execution.monitor.check();
        std::vector<Interface> interfaces{Interface::flat("surface", 0)};
        std::vector<Layer> layers;
        if (name[0] == '2') {
            interfaces.push_back(basin_of(grid));
            layers.push_back({model_of(grid, [](Vec3) { return 4.0; }), {}});
        }
        interfaces.push_back(moho_of(grid));
        layers.push_back({model_of(grid, velocity), {}});
        layers.push_back({model_of(grid, [](Vec3) { return 8.0; }), {}});
        const LayeredMedium medium(std::move(interfaces), std::move(layers));
        const Branch branch = branch_of(medium, "PmP");
        // To give the rays of the run before back is not part of a run.
        std::vector<double> runs;
        std::vector<std::vector<BranchRay>> rays;
        for (int run = 0; run < options.repeats; ++run) {
            rays = {};
            runs.push_back(median_seconds(1, [&] {
                rays = trace_branch(medium, branch, sources, receivers, pairs, {}, execution);
            }));
        }
        const double seconds = median(runs);
        double points = 0;
        double time = 0;
        std::int64_t arrived = 0;
        for (const auto& of_pair : rays) {
            const BranchRay& ray = of_pair.front();
            if (!has_arrived(ray.status)) continue;
            ++arrived;
            points += static_cast<double>(ray.places.size());
            time += ray.time;
        }
        const auto count = static_cast<double>(rays.size());
        const double some = std::max<double>(1, static_cast<double>(arrived));
        table.add({name, static_cast<std::int64_t>(rays.size()), seconds, 1e-3 * count / seconds,
                   points / some, arrived, time / some});
    }
    table.commit();
}

}  // namespace fermat::bench
