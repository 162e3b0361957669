#include "rays/graph_rays.hpp"

#include <cmath>
#include <limits>

#include "rays/integrate.hpp"

namespace fermat {

RaySet trace_graph_rays(const Model& model, const Graph& graph, const GraphField& field,
                        std::int32_t event, const Listeners& to) {
    RaySet set;
    for (std::size_t n = 0; n < to.positions.size(); ++n) {
        const Vec3 receiver = model.grid().clamp(to.positions[n]);
        const GraphPath path = graph_path(graph, field, receiver);
        const PathIntegral along = integrate_path(model, path.points);
        RayInfo info{event, to.stations[n], path.time, field.start_time + along.time, along.length};
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
