#include "bench/metric_adjoint.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "bench/measure.hpp"
#include "bench/metric_media.hpp"
#include "bench/table.hpp"
#include "core/device.hpp"
#include "core/version.hpp"
#include "eikonal/adjoint/metric_adjoint.hpp"

namespace fermat::bench {
namespace {

struct MetricTimesOf {
    std::vector<double> forward;
    std::vector<double> backward;
    MetricTimes::Work work;
};

MetricTimesOf measured(const MetricMedium& medium, int repeats, const Execution& execution) {
    const MetricTimes times(medium.model, {}, {{medium.source, 0}}, {}, {}, execution);
    const Field<double> by(medium.model.grid().shape, 1.0);
    const auto derive = [&](std::size_t, const MetricTimes::Solved&) {
        return TimeDerivatives{by, {}};
    };
    MetricTimesOf out;
    for (int n = 0; n < repeats; ++n) {
        execution.monitor.check();
        const Stopwatch solving;
        const std::shared_ptr<const MetricTimes::Solved> field[] = {times.solve(0, execution)};
        out.forward.push_back(solving.seconds());
        const Stopwatch substituting;
        times.gradient(field, derive, false, execution.heard_by(silent_monitor()));
        out.backward.push_back(substituting.seconds());
    }
    out.work = times.work();
    return out;
}

/// A smooth hill on the surface of a cube, v = 2 + z.
MetricMedium hill(int nodes) {
    const Grid grid = unit_cube(nodes);
    CoordinateNumbers numbers;
    numbers.system = Coordinates::terrain;
    for (int i = 0; i < nodes; ++i) {
        for (int j = 0; j < nodes; ++j) {
            const Vec3 p = grid.position({i, j, 0});
            const double r2 = (p.x - 0.5) * (p.x - 0.5) + (p.y - 0.5) * (p.y - 0.5);
            numbers.surface.push_back(-0.1 * std::exp(-r2 / 0.1));
        }
    }
    const auto metric = std::make_shared<const Metric>(grid, numbers);
    const Vec3 source = metric->mapping().to_user({0.21, 0.52, 0.13});
    return {
        Model(grid, velocity_of(grid, *metric, [](Vec3 p) { return 2 + p.z; })).with_metric(metric),
        source,
        {}};
}

}  // namespace

void bench_metric_adjoint(const MetricAdjointBench& options, const Execution& execution) {
    const bool cuda = on_cuda(execution.device);
    const std::string where =
        cuda ? device_info(0).name : fmt::format("{} threads", execution.threads);
    BenchTable table(
        fmt::format("fermat {}: the adjoint of one source in other media on {}, median of {}\n"
                    "  forward, backward   by the clock, by slowness and anisotropy of all nodes\n"
                    "  passes_s, back_s    of them the device's passes in double precision\n"
                    "  visits              of a node, forward",
                    version, where, options.repeats),
        {"medium", "grid", "forward_s", "backward_s", "us_per_node", "passes_s", "passes", "visits",
         "back_s", "back_passes"},
        options.csv);
    const auto measure = [&](const char* name, const MetricMedium& medium) {
        const Shape shape = medium.model.grid().shape;
        const MetricTimesOf found = measured(medium, options.repeats, execution);
        const double forward = median(found.forward);
        const double backward = median(found.backward);
        const MetricTimes::Work& work = found.work;
        table.add({std::string(name), fmt::format("{}^3", shape.x), forward, backward,
                   1e6 * (forward + backward) / static_cast<double>(shape.count()), work.seconds,
                   std::int64_t{work.passes}, work.visits_per_node, work.back_seconds,
                   std::int64_t{work.back_passes}});
    };
    const int nodes = options.nodes;
    measure("sphere", power_law_block(nodes));
    measure("terrain", hill(nodes));
    measure("tensor", diffeomorphic_cube(nodes));
    measure("Thomsen", thomsen_cube(nodes));
    table.commit();
}

}  // namespace fermat::bench
