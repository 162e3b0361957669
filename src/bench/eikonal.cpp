#include "bench/eikonal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <span>

#include "bench/measure.hpp"
#include "bench/papers/paper5_media.hpp"
#include "model/analytic.hpp"
#include "model/makers.hpp"
#include "rays/rays.hpp"

namespace fermat::bench {
namespace {

Grid square(int nodes, double side) {
    const double h = side / (nodes - 1);
    return {{nodes, 1, nodes}, {}, {h, h, h}};
}

/// The medium of the 3-D table: a cube with sides of 10 km.
const LinearVelocity volume_velocity{2, {0, 0, 0.5}};
constexpr double volume_side = 10;
constexpr Vec3 volume_source{5, 5, 0.5};

Model volume_model(int nodes) {
    const double h = volume_side / (nodes - 1);
    return gradient_model({{nodes, nodes, nodes}, {}, {h, h, h}}, volume_velocity.v0,
                          volume_velocity.gradient.z);
}

class Bench {
  public:
    Bench(const EikonalBench& options, BenchReport& report, Monitor& monitor)
        : options_(options),
          report_(report),
          monitor_(monitor),
          execution_(on_cpu(options.threads, monitor)) {}

    void paper5() {
        if (options_.largest < paper5_sizes.front()) return;
        report_.begin(
            "Paper 5, Table 2: squares of 100, 200 and 500 grid points, spacing 1 (bench paper 5 "
            "has all of it)\n"
            "  homogeneous  v = 2, source in the middle, 16 receivers round the edges\n"
            "  layer        v = 2 over 5 from a tenth of the depth on, source at the corner, 19 "
            "receivers on the surface\n"
            "  gradient     v = 2 + 0.01 z, the same survey\n"
            "  errors       relative, nodes >= 3 cells from the source; of the layer along the "
            "surface\n"
            "  published    seconds in all, time field and rays",
            {"scenario", "nx", "nz", "seconds", "with_rays_s", "mnodes_per_s", "mean_error",
             "max_error", "rays_lost", "ttcrpy_laptop_s", "jetson_nano_s"});
        for (const Scenario& scenario : paper5_scenarios()) {
            for (std::size_t i = 0; i < paper5_sizes.size(); ++i) {
                if (paper5_sizes[i] <= options_.largest) add_scenario(scenario, i);
            }
        }
    }

    void paper1() {
        constexpr std::array sizes = {128, 256, 512, 1024, 1600};
        if (options_.largest < sizes.front()) return;
        report_.begin(
            "Paper 1's gradient: v = 0.5 to 4 km/s over 10 km, source at the corner",
            {"scenario", "nx", "nz", "seconds", "mnodes_per_s", "mean_error", "max_error"});
        constexpr double side = 10;
        const LinearVelocity velocity{0.5, {0, 0, 0.35}};
        for (const int nodes : sizes) {
            if (nodes > options_.largest) continue;
            const Model model =
                gradient_model(square(nodes, side), velocity.v0, velocity.gradient.z);
            BenchRow row = solved("paper1", "gradient", model, {}, {}, velocity);
            row.peak_mib.reset();
            row.bytes_per_node.reset();
            report_.add(row);
        }
    }

    void volumes() {
        const std::vector<int> sizes = volume_sizes({64, 128, 256, 384});
        if (sizes.empty()) return;
        report_.begin(
            "3-D: v = 2 + 0.5 z km/s, cube of 10 km, source (5, 5, 0.5)\n"
            "  errors          relative, nodes >= 3 cells from the source\n"
            "  bytes_per_node  taken by the solve, beyond the model\n"
            "  growth          time per node over that at 128^3",
            {"scenario", "nx", "solver", "order", "seconds", "mnodes_per_s", "mean_error",
             "max_error", "peak_mib", "bytes_per_node", "growth"});
        const int compared = volume_sizes({64, 128}).back();
        std::optional<double> base;
        for (const int nodes : sizes) {
            const Model model = volume_model(nodes);
            BenchRow row = solved("volume", "gradient", model, volume_source, {}, volume_velocity);
            if (nodes == 128) base = row.seconds_per_node();
            if (base) row.growth = row.seconds_per_node() / *base;
            report_.add(row);
            if (nodes == compared) compare_solvers(model);
        }
    }

    void threads() {
        if (options_.threads == 1) {
            report_.say("\nThreads: one only (--threads N compares N with one)");
            return;
        }
        const std::vector<int> one = volume_sizes({64, 128, 256});
        if (one.empty()) return;
        report_.begin("Threads: one shot, its blocks in parallel; 8 shots in parallel",
                      {"scenario", "nx", "shots", "threads", "seconds", "mnodes_per_s", "speedup"});
        compare_threads("one shot", one.back(), 1);
        compare_threads("many shots", volume_sizes({64, 128}).back(), 8);
    }

  private:
    std::vector<int> volume_sizes(std::initializer_list<int> all) const {
        std::vector<int> sizes;
        for (const int nodes : all) {
            if (nodes <= std::min(options_.largest, options_.largest_volume)) {
                sizes.push_back(nodes);
            }
        }
        return sizes;
    }

    BenchRow solved(std::string table, std::string scenario, const Model& model, Vec3 source,
                    EikonalOptions eikonal, const LinearVelocity& velocity) {
        BenchRow row{std::move(table), std::move(scenario), model.grid().shape,
                     eikonal.solver,   eikonal.order,       options_.threads};
        TimeField field;
        const MemoryProbe probe;
        row.seconds = median_seconds(options_.repeats, [&] {
            field = {};
            field = solve(model, {source}, eikonal, execution_);
        });
        constexpr double mib = 1024.0 * 1024.0;
        row.peak_mib = probe.peak_bytes() / mib;
        if (const auto grown = probe.grown_bytes()) {
            row.bytes_per_node = *grown / static_cast<double>(model.grid().node_count());
        }
        const RelativeErrors errors =
            node_errors(field, options_.threads, [&](Vec3 p) { return velocity.time(source, p); });
        row.mean_error = errors.mean;
        row.max_error = errors.max;
        return row;
    }

    void add_scenario(const Scenario& scenario, std::size_t size) {
        const Grid grid = paper5_grid(paper5_sizes[size]);
        const Model model = scenario.model(grid);
        const Vec3 source = paper5_source(scenario, grid);
        const auto receivers = paper5_receivers(scenario, grid);
        std::vector<std::int32_t> numbers(receivers.size());
        std::iota(numbers.begin(), numbers.end(), 0);
        RayOptions options;

        BenchRow row{"paper5", std::string(scenario.name), model.grid().shape};
        row.threads = options_.threads;
        TimeField field;
        RaySet rays;
        std::vector<double> map_seconds;
        row.with_rays = median_seconds(options_.repeats, [&] {
            const Stopwatch watch;
            field = solve(model, {source}, options.eikonal, execution_);
            map_seconds.push_back(watch.seconds());
            rays = trace_rays(model, field, 0, {receivers, numbers}, options, execution_);
        });
        row.seconds = median(map_seconds);
        const RelativeErrors errors = node_errors(
            field, options_.threads, [&](Vec3 p) { return scenario.exact(grid, source, p); });
        row.mean_error = errors.mean;
        row.max_error = errors.max;
        row.rays_lost = std::count_if(rays.rays.begin(), rays.rays.end(),
                                      [](const RayInfo& ray) { return !has_arrived(ray.status); });
        row.ttcrpy = scenario.ttcrpy[size].total;
        row.jetson = scenario.jetson[size].total;
        report_.add(row);
    }

    void compare_solvers(const Model& model) {
        for (const auto& [solver, order] :
             {std::pair{Solver::fim, 1}, std::pair{Solver::fmm, 2}, std::pair{Solver::fsm, 2},
              std::pair{Solver::vidale, 2}}) {
            report_.add(solved("volume", "gradient", model, volume_source, {solver, order},
                               volume_velocity));
        }
    }

    void compare_threads(const char* scenario, int nodes, int shots) {
        const Model model = volume_model(nodes);
        std::vector<PointSource> sources;
        for (int i = 0; i < shots; ++i) {
            sources.push_back({volume_source + Vec3{0.3 * i, -0.2 * i, 0.1 * i}});
        }
        std::optional<double> alone;
        for (const int threads : {1, options_.threads}) {
            BenchRow row{"threads", scenario, model.grid().shape, Solver::fim, 2, threads, shots};
            const EikonalOptions eikonal{Solver::fim, 2};
            row.seconds = median_seconds(options_.repeats, [&] {
                for_each_field(model, sources, eikonal, on_cpu(threads, monitor_),
                               [](std::size_t, TimeField&&) {});
            });
            if (!alone) alone = row.seconds;
            row.speedup = *alone / row.seconds;
            report_.add(row);
        }
    }

    const EikonalBench& options_;
    BenchReport& report_;
    Monitor& monitor_;
    Execution execution_;
};

}  // namespace

void bench_eikonal(const EikonalBench& options, BenchReport& report, Monitor& monitor) {
    Bench bench(options, report, monitor);
    bench.paper5();
    bench.paper1();
    bench.volumes();
    bench.threads();
}

}  // namespace fermat::bench
