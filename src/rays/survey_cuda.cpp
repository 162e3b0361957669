#include <algorithm>

#include "rays/rays_cuda.hpp"

namespace fermat {

void trace_each_on_cuda(const Model& model, std::span<const PointSource> sources,
                        std::span<const std::size_t> which, std::span<const Vec3> receivers,
                        std::span<const std::vector<std::int32_t>> lists, const RayOptions& options,
                        const Execution& execution,
                        const std::function<void(std::size_t, RaySet&&)>& consume) {
    CudaFim fim(model, options.eikonal.order, std::min(which.size(), filling_batch(model.grid())));
    CudaTracer tracer;
    for (std::size_t first = 0; first < which.size(); first += fim.batch()) {
        execution.monitor.check();
        const auto batch = which.subspan(first, std::min(fim.batch(), which.size() - first));
        std::vector<FactoredSource> factored;
        std::vector<ShotRays> shots;
        for (const std::size_t s : batch) {
            factored.push_back(factor_source(model, sources[s].position));
            ShotRays& shot = shots.emplace_back();
            shot.source = factored.back();
            shot.start_time = sources[s].start_time;
            shot.number = static_cast<std::int32_t>(s);
            shot.receiver_numbers = lists[s];
            for (const std::int32_t r : lists[s]) {
                shot.receivers.push_back(receivers[static_cast<std::size_t>(r)]);
            }
        }
        fim.solve(factored);
        std::vector<RaySet> sets = tracer.trace(model, fim, shots, options, execution);
        for (std::size_t n = 0; n < batch.size(); ++n) {
            execution.monitor.advance(static_cast<std::int64_t>(sets[n].size()));
            consume(batch[n], std::move(sets[n]));
        }
    }
}

}  // namespace fermat
