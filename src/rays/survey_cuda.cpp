#include <algorithm>

#include "core/device_team.hpp"
#include "rays/rays_cuda.hpp"

namespace fermat {

ShotRays shot_rays(const Model& model, const Survey& survey, std::size_t event,
                   std::span<const std::int32_t> arrivals) {
    const Event& shot = survey.events[event];
    return {factor_source(model, shot.position), shot.origin_time, static_cast<std::int32_t>(event),
            listeners_of(survey, arrivals)};
}

void trace_each_on_cuda(const Model& model, const Survey& survey,
                        std::span<const std::size_t> which, const ArrivalLists& lists,
                        const RayOptions& options, const Execution& execution,
                        const std::function<void(std::size_t, RaySet&&)>& consume) {
    const std::size_t devices = devices_in_use().size();
    const std::size_t most = std::clamp<std::size_t>((which.size() + devices - 1) / devices, 1,
                                                     filling_batch(model.grid()));
    on_each_device(which.size(), [&](BatchTurns& turns) {
        CudaFim fim(model, options.eikonal.order, most);
        CudaTracer tracer;
        while (const auto taken = turns.take(fim.batch())) {
            execution.monitor.check();
            const auto batch = which.subspan(taken->first, taken->count);
            std::vector<FactoredSource> factored;
            std::vector<ShotRays> shots;
            for (const std::size_t e : batch) {
                shots.push_back(shot_rays(model, survey, e, lists[e]));
                factored.push_back(shots.back().source);
            }
            fim.solve(factored);
            std::vector<RaySet> sets = tracer.trace(model, fim, shots, options, execution);
            turns.in_turn(*taken, [&] {
                for (std::size_t n = 0; n < batch.size(); ++n) {
                    execution.monitor.advance(static_cast<std::int64_t>(sets[n].size()));
                    consume(batch[n], std::move(sets[n]));
                }
            });
        }
    });
}

}  // namespace fermat
