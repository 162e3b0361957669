#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <vector>

#include "bench/eikonal.hpp"
#include "bench/measure.hpp"
#include "bench/table.hpp"
#include "core/device.hpp"
#include "core/version.hpp"
#include "eikonal/fim/fim_cuda.hpp"
#include "model/analytic.hpp"
#include "model/makers.hpp"

namespace fermat::bench {
namespace {

constexpr double cuda_side = 10;
constexpr double v0 = 2;
constexpr double gradient = 0.5;

Grid cube(int nodes, int dimensions) {
    const double h = cuda_side / (nodes - 1);
    return {{nodes, dimensions == 3 ? nodes : 1, nodes}, {}, {h, h, h}};
}

class EikonalCudaBench {
  public:
    EikonalCudaBench(int repeats, BenchTable& table, Monitor& monitor)
        : repeats_(repeats), table_(table), monitor_(monitor) {}

    /// `exact` is given where there is a closed form: for the constant gradient.
    void run(std::string_view medium, const Model& model, const std::vector<Vec3>& sources,
             int order, bool exact) {
        monitor_.check();
        std::vector<FactoredSource> factored;
        for (const Vec3 source : sources) factored.push_back(factor_source(model, source));
        CudaFim fim(model, order, sources.size());
        const Grid& grid = model.grid();
        TimeField field{grid, factored[0], 0, Field<float>(grid.shape)};
        std::vector<double> on_device;
        std::vector<double> in_all;
        for (int i = 0; i < repeats_; ++i) {
            const Stopwatch watch;
            fim.set_velocity(model);
            on_device.push_back(fim.solve(factored));
            for (std::size_t n = 0; n < sources.size(); ++n) fim.download(n, field.tau.view());
            in_all.push_back(watch.seconds());
        }
        const double seconds = median(on_device);
        const CudaFim::Work work = fim.work();
        constexpr double none = std::numeric_limits<double>::quiet_NaN();
        RelativeErrors errors{none, none};
        if (exact) {
            fim.download(0, field.tau.view());
            errors = node_errors(field, 0, [&](Vec3 p) {
                return LinearVelocity{v0, {0, 0, gradient}}.time(field.factor.position, p);
            });
        }
        const auto nodes =
            static_cast<double>(grid.node_count()) * static_cast<double>(sources.size());
        const std::string shape = to_string(grid.shape);
        table_.add({medium, shape, static_cast<std::int64_t>(sources.size()), std::int64_t{order},
                    1e3 * seconds, 1e3 * median(in_all), 1e-6 * nodes / seconds, errors.mean,
                    errors.max, work.visits_per_tile, std::int64_t{work.passes}});
    }

  private:
    int repeats_;
    BenchTable& table_;
    Monitor& monitor_;
};

}  // namespace

void bench_eikonal_cuda(const EikonalBench& options,
                        const std::optional<std::filesystem::path>& csv, Monitor& monitor) {
    BenchTable table(
        fmt::format("fermat {}: fim on {}, median of {}\n"
                    "  gradient   v = 2 + 0.5 z km/s, 10 km a side; source (5, 5, 0.5)\n"
                    "  blocks     random, 1 to 5, 8 nodes a block\n"
                    "  ms_in_all  with the model sent and all fields fetched",
                    version, device_info(0).name, options.repeats),
        {"medium", "shape", "shots", "order", "ms", "ms_in_all", "Mnodes_per_s", "mean_error",
         "max_error", "visits_per_tile", "passes"},
        csv);
    EikonalCudaBench bench(options.repeats, table, monitor);
    for (const int nodes : {65, 129, 257, 513}) {
        if (nodes > options.largest + 1 || nodes > options.largest_volume + 1) continue;
        const Model model = gradient_model(cube(nodes, 3), v0, gradient);
        for (const int order : {1, 2}) {
            bench.run("gradient", model, {{5, 5, 0.5}}, order, true);
        }
    }
    // A cube of 10^9 nodes, if it fits. Computing its errors would take longer than everything
    // else.
    constexpr std::size_t needed = std::size_t{24} << 30;
    if (options.largest_volume >= 1024 && device_info(0).memory_bytes > needed) {
        bench.run("gradient", gradient_model(cube(1024, 3), v0, gradient), {{5, 5, 0.5}}, 2, false);
    }
    for (const int nodes : {513, 1601, 4097}) {
        bench.run("gradient", gradient_model(cube(nodes, 2), v0, gradient), {{5, 0, 0.5}}, 2, true);
    }
    const int small = std::min(128, options.largest_volume);
    std::vector<Vec3> shots;
    for (int n = 0; n < 64; ++n) shots.push_back({0.3 + 1.3 * (n % 8), 0.3 + 1.3 * (n / 8), 0.5});
    bench.run("gradient", gradient_model(cube(small, 3), v0, gradient), shots, 2, true);
    const int rough = std::min(512, options.largest_volume);
    const Model blocks = random_blocks_model(cube(rough, 3), {1, 5, {8, 8, 8}, 7});
    for (const int order : {1, 2}) bench.run("blocks", blocks, {{5, 5, 0.2}}, order, false);
    table.commit();
}

}  // namespace fermat::bench
