#include <algorithm>

#include "rays/rays_cuda.hpp"

namespace fermat {

void trace_each_on_cuda(const Model& model, std::span<const PointSource> sources,
                        std::span<const std::size_t> which, std::span<const Vec3> receivers,
                        std::span<const std::vector<std::int32_t>> lists, const RayOptions& options,
                        Monitor& monitor,
                        const std::function<void(std::size_t, RaySet&&)>& consume) {
    CudaFim fim(model, options.eikonal.order, std::min(which.size(), filling_batch(model.grid())));
    CudaTracer tracer(model);
    for (std::size_t first = 0; first < which.size(); first += fim.batch()) {
        monitor.check();
        const auto batch = which.subspan(first, std::min(fim.batch(), which.size() - first));
        std::vector<FactoredSource> factored;
        for (const std::size_t s : batch) {
            factored.push_back(factor_source(model, sources[s].position));
        }
        fim.solve(factored);
        for (std::size_t n = 0; n < batch.size(); ++n) {
            const std::size_t s = batch[n];
            std::vector<Vec3> places;
            for (const std::int32_t r : lists[s]) {
                places.push_back(receivers[static_cast<std::size_t>(r)]);
            }
            consume(s, tracer.trace(fim, n, factored[n], sources[s].start_time,
                                    static_cast<std::int32_t>(s), places, lists[s], options));
            monitor.advance(static_cast<std::int64_t>(places.size()));
        }
    }
}

}  // namespace fermat
