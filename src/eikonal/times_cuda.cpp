#include "eikonal/times_cuda.hpp"

#include <algorithm>
#include <vector>

#include "core/device.hpp"
#include "core/device_copy.hpp"
#include "core/error.hpp"
#include "eikonal/fim/fim_cuda.hpp"

namespace fermat {

CudaTimes first_arrivals(const CudaModel& model, std::span<const PointSource> sources, int order,
                         Fields fields, Monitor& monitor) {
    const std::size_t nodes = model.grid().node_count();
    const bool together = fields == Fields::together;
    if (together && sources.empty()) {
        throw InputError("no source is given (at least one is needed)");
    }
    std::vector<Vec3> positions;
    for (const PointSource& source : sources) positions.push_back(source.position);
    const std::vector<FactoredSource> factored = factor_sources(model, positions);
    CudaTimes times{nullptr, together ? 1 : sources.size(), model.grid().shape};
    times.memory = allocate_on_device(times.fields * nodes);
    if (sources.empty()) return times;
    CudaFim fim(model, order, std::min(sources.size(), filling_batch(model.grid())));
    monitor.begin("first arrivals", static_cast<std::int64_t>(sources.size()));
    for (std::size_t first = 0; first < sources.size(); first += fim.batch()) {
        monitor.check();
        const std::size_t count = std::min(fim.batch(), sources.size() - first);
        fim.start(std::span(factored).subspan(first, count));
        for (std::size_t n = 0; n < count; ++n) {
            const std::size_t s = first + n;
            fim.write_times(n, factored[s], sources[s].start_time,
                            together && s > 0 ? CudaFim::Keep::earliest : CudaFim::Keep::all,
                            {times.memory.get() + (together ? 0 : s * nodes), times.shape});
            monitor.advance();
        }
    }
    wait_for_stream();
    monitor.end();
    return times;
}

}  // namespace fermat
