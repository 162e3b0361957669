#include "bench/adjoint.hpp"

#include <fmt/format.h>

#include <random>
#include <string>
#include <vector>

#include "bench/measure.hpp"
#include "bench/metric_adjoint.hpp"
#include "bench/table.hpp"
#include "core/device.hpp"
#include "core/version.hpp"
#include "eikonal/adjoint/adjoint.hpp"
#include "eikonal/adjoint/adjoint_cuda.hpp"
#include "eikonal/adjoint/field_adjoint.hpp"
#include "model/makers.hpp"

namespace fermat::bench {
namespace {

constexpr double side = 10;

struct Cost {
    double forward = 0;
    double by_nodes = 0;
    double by_receivers = 0;
    CudaAdjoint::Work work;
};

struct Times {
    std::vector<double> forward;
    std::vector<double> by_nodes;
    std::vector<double> by_receivers;

    Cost medians() const { return {median(forward), median(by_nodes), median(by_receivers), {}}; }
};

Cost on_device(const AdjointSurvey& survey, const Field<double>& by, int repeats) {
    Times times;
    CudaAdjoint device(survey, 0);
    device.want_positions(false);
    Cost cost;
    const std::vector<double> one(survey.receivers().size(), 1.0);
    for (int i = 0; i < repeats; ++i) {
        times.forward.push_back(device.timed_solve(0, 1));
        device.ask_nodes(0, by);
        times.by_nodes.push_back(device.substitute());
        const auto work = device.work();
        device.solve(0, 1);
        device.ask_receivers(one);
        times.by_receivers.push_back(device.substitute());
        cost = times.medians();
        cost.work = work;
    }
    return cost;
}

Cost on_host(const AdjointSurvey& survey, const Field<double>& by, int repeats,
             const Execution& execution) {
    Times times;
    Field<double> slowness(by.shape(), 0.0);
    AdjointSpace space;
    const std::vector<double> one(survey.receivers().size(), 1.0);
    for (int i = 0; i < repeats; ++i) {
        const Stopwatch solving;
        const TimeField field = survey.solve<float>(0, execution);
        times.forward.push_back(solving.seconds());
        const Stopwatch nodes;
        field_adjoint(survey, 0, field, {by, {}}, slowness, space, execution);
        times.by_nodes.push_back(nodes.seconds());
        const Stopwatch receivers;
        field_adjoint(survey, 0, field, {{}, one}, slowness, space, execution);
        times.by_receivers.push_back(receivers.seconds());
    }
    return times.medians();
}

std::vector<Vec3> scattered(const Grid& grid, int count) {
    std::mt19937_64 random(1);
    std::vector<Vec3> points;
    for (int n = 0; n < count; ++n) {
        Vec3 p = grid.origin;
        const Vec3 extent = grid.extent();
        for (int axis = 0; axis < 3; ++axis) {
            p[axis] += extent[axis] * (static_cast<double>(random() >> 11) * 0x1p-53);
        }
        points.push_back(p);
    }
    return points;
}

void bench_survey(const AdjointBench& bench, const Execution& execution) {
    constexpr int nodes = 128;
    const double h = side / (nodes - 1);
    const Model model = gradient_model({{nodes, nodes, nodes}, {}, {h, h, h}}, 2, 0.5);
    std::vector<PointSource> sources;
    for (const Vec3& p : scattered(model.grid(), bench.shots)) sources.push_back({p, 0});
    const AdjointSurvey survey(model, {}, sources, scattered(model.grid(), bench.receivers), {});
    TimeObjective objective;
    objective.by_position = false;
    objective.receivers = [](std::size_t, std::span<const double> times, std::span<double> by) {
        for (std::size_t r = 0; r < times.size(); ++r) by[r] = 0.01 * times[r];
    };
    const Stopwatch watch;
    const AdjointGradient gradient = adjoint(survey, objective, execution);
    fmt::print("one gradient of {} shots x {} receivers on {}^3 nodes: {:.3f} s\n", bench.shots,
               bench.receivers, nodes, watch.seconds());
}

}  // namespace

void bench_adjoint(const AdjointBench& options, const Execution& execution) {
    if (options.media > 0) {
        return bench_metric_adjoint({options.repeats, options.media, options.csv}, execution);
    }
    const bool cuda = on_cuda(execution.device);
    BenchTable table(
        fmt::format("fermat {}: the adjoint of one source on {}, median of {}\n"
                    "  v = 2 + 0.5 z km/s, 10 km a side, source off its nodes, order 2\n"
                    "  by_nodes   J asks something of every node; by_receivers: of {} receivers\n"
                    "             (both by slownesses alone)\n"
                    "  forwards   by_nodes in units of the solve",
                    version,
                    cuda ? device_info(0).name : fmt::format("{} threads", execution.threads),
                    options.repeats, 100),
        {"grid", "forward_ms", "by_nodes_ms", "by_receivers_ms", "forwards", "visits", "passes"},
        options.csv);
    const auto measure = [&](int nodes, bool flat) {
        execution.monitor.check();
        const double h = side / (nodes - 1);
        const Grid grid{{nodes, flat ? 1 : nodes, nodes}, {}, {h, flat ? 1 : h, h}};
        const Model model = gradient_model(grid, 2, 0.5);
        const AdjointSurvey survey(model, {}, {{{4.321, flat ? 0 : 5.013, 0.507}, 0}},
                                   scattered(grid, 100), {});
        const Field<double> by(grid.shape, 1.0);
        const Cost cost = cuda ? on_device(survey, by, options.repeats)
                               : on_host(survey, by, options.repeats, execution);
        table.add({fmt::format("{}^{}", nodes, flat ? 2 : 3), 1e3 * cost.forward,
                   1e3 * cost.by_nodes, 1e3 * cost.by_receivers, cost.by_nodes / cost.forward,
                   cost.work.visits_per_tile, std::int64_t{cost.work.passes}});
    };
    for (const int nodes : {513, 1601, 4097}) {
        if (nodes <= 8 * options.largest) measure(nodes, true);
    }
    for (const int nodes : {65, 129, 257, 513}) {
        if (nodes <= options.largest) measure(nodes, false);
    }
    table.commit();
    if (options.shots > 0) bench_survey(options, execution);
}

}  // namespace fermat::bench
