#include "rays/graph_rays.hpp"

#include <cmath>
#include <limits>

#include "rays/integrate.hpp"

namespace fermat {

RaySet trace_graph_rays(const Model& model, const Graph& graph, const PointSource& source,
                        std::int32_t source_number, std::span<const Vec3> receivers,
                        std::span<const std::int32_t> receiver_numbers,
                        const Execution& execution) {
    const GraphField field = solve(graph, {source.position, source.start_time}, execution);
    RaySet set;
    for (std::size_t n = 0; n < receivers.size(); ++n) {
        const Vec3 receiver = model.grid().clamp(receivers[n]);
        const GraphPath path = graph_path(graph, field, receiver);
        const PathIntegral along = integrate_path(model, path.points);
        RayInfo info{source_number, receiver_numbers[n], path.time, source.start_time + along.time,
                     along.length};
        if (!std::isfinite(path.time)) {
            info.status =
                in_air(model, receiver) ? RayStatus::receiver_in_air : RayStatus::unreachable;
            info.time = std::numeric_limits<double>::infinity();
        }
        set.append(info, path.points);
    }
    return set;
}

}  // namespace fermat
