#include "tomography/layers/layer_coverage.hpp"

#include <algorithm>
#include <vector>

namespace fermat {
namespace {

/// The cells that a ray crosses, each once.
std::vector<std::size_t> cells_of(const LayeredMedium& medium, const BranchRay& ray) {
    const Grid& grid = medium.grid();
    const Mapping& mapping = medium.place().mapping();
    const Vec3 size = medium.place().cell_at_middle();
    const double step =
        0.25 * (grid.is_2d() ? std::min(size.x, size.z) : std::min({size.x, size.y, size.z}));
    const Shape cells = grid.cell_shape();
    std::vector<std::size_t> out;
    for (std::size_t k = 0; k + 1 < ray.places.size(); ++k) {
        const Vec3 a = ray.places[k];
        const Vec3 b = ray.places[k + 1];
        const int parts = std::max(1, static_cast<int>(distance(a, b) / step));
        for (int i = 0; i < parts; ++i) {
            const Vec3 q = mapping.from_place(a + ((i + 0.5) / parts) * (b - a));
            int at[3];
            for (int axis = 0; axis < 3; ++axis) {
                const int n = cells[axis];
                at[axis] = n <= 1 ? 0
                                  : std::clamp(static_cast<int>(grid.index_along(axis, q[axis])), 0,
                                               n - 1);
            }
            const std::size_t cell = cells.offset(at[0], at[1], at[2]);
            if (out.empty() || out.back() != cell) out.push_back(cell);
        }
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

}  // namespace

Field<float> layer_coverage(const LayerInversion& found, const PhasePicks& picks,
                            const LayerInversionOptions& options, const Execution& execution) {
    Field<float> out(found.medium.grid().cell_shape());
    std::fill(out.begin(), out.end(), 0.0F);
    std::vector<Vec3> sources;
    std::vector<Vec3> receivers;
    for (std::size_t e = 0; e < picks.survey.events.size(); ++e) {
        sources.push_back(found.run.events.empty() ? picks.survey.events[e].position
                                                   : found.run.events[e].position);
    }
    for (const Station& station : picks.survey.stations) receivers.push_back(station.position);
    for (std::size_t phase = 0; phase < picks.phases.size(); ++phase) {
        std::vector<RayPair> pairs;
        for (const std::size_t n : picks_of(picks, phase)) {
            const Arrival& pick = picks.survey.arrivals[n];
            if (found.run.final_use[n] == PickUse::used) {
                pairs.push_back({pick.event, pick.station});
            }
        }
        const auto rays = trace_branch(found.medium, branch_of(found.medium, picks.phases[phase]),
                                       sources, receivers, pairs, options.rays, execution);
        for (const auto& ray : rays) {
            if (!has_arrived(ray.front().status)) continue;
            for (const std::size_t cell : cells_of(found.medium, ray.front())) out[cell] += 1;
        }
    }
    return out;
}

}  // namespace fermat
