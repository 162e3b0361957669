#include <fmt/format.h>

#include <numeric>
#include <random>
#include <vector>

#include "bench/measure.hpp"
#include "bench/rays.hpp"
#include "bench/table.hpp"
#include "core/device.hpp"
#include "core/version.hpp"
#include "model/makers.hpp"
#include "rays/rays_cuda.hpp"

namespace fermat::bench {

void bench_rays_cuda(const RaysBench& options, Monitor& monitor) {
    constexpr double side = 10;
    constexpr int rays = 1000000;
    BenchTable table(
        fmt::format("fermat {}: a million rays by descent on {}, median of {}\n"
                    "  v = 2 + 0.5 z km/s, 10 km a side, source (5, 5, 0.5)\n"
                    "  ms_in_all  with receivers sent and all points fetched",
                    version, device_info(0).name, options.repeats),
        {"medium", "nx", "rays", "ms", "ms_in_all", "Mrays_per_s", "points_per_ray", "rays_lost"},
        options.csv);
    std::mt19937_64 random(1);
    const auto along = [&] { return side * (static_cast<double>(random() >> 11) * 0x1p-53); };
    std::vector<Vec3> receivers(rays);
    for (Vec3& p : receivers) p = {along(), along(), along()};
    std::vector<std::int32_t> numbers(rays);
    std::iota(numbers.begin(), numbers.end(), 0);
    for (const int nodes : {128, 256}) {
        if (nodes > options.largest) continue;
        monitor.check();
        const double h = side / (nodes - 1);
        const Model model = gradient_model({{nodes, nodes, nodes}, {}, {h, h, h}}, 2, 0.5);
        const std::vector<FactoredSource> source{factor_source(model, {5, 5, 0.5})};
        CudaFim fim(model, 2, 1);
        fim.solve(source);
        CudaTracer tracer;
        const std::vector<ShotRays> shots{{source[0], 0, 0, {receivers, numbers}}};
        std::vector<double> on_device;
        std::vector<double> in_all;
        std::vector<RaySet> sets;
        for (int i = 0; i < options.repeats; ++i) {
            const Stopwatch watch;
            sets = tracer.trace(model, fim, shots, {}, {});
            in_all.push_back(watch.seconds());
            on_device.push_back(tracer.seconds());
        }
        const RaySet& set = sets.front();
        std::int64_t lost = 0;
        for (const RayInfo& ray : set.rays) lost += !has_arrived(ray.status);
        const double seconds = median(on_device);
        table.add({"gradient", std::int64_t{nodes}, std::int64_t{rays}, 1e3 * seconds,
                   1e3 * median(in_all), 1e-6 * rays / seconds,
                   static_cast<double>(set.points.size()) / rays, lost});
    }
    table.commit();
}

}  // namespace fermat::bench
