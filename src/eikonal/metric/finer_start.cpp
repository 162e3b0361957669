// Near a source beside jumps: times from rays of the layers there, or from a finer grid.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "eikonal/metric/layered_section.hpp"
#include "eikonal/metric/metric_solver.hpp"
#include "eikonal/metric/node_medium.hpp"
#include "eikonal/metric/refined_box.hpp"

namespace fermat {
namespace {

/// Behind a jump at distance b, tau varies as b / r, and the error of differences is of the order
/// (h / r)^2 b: so times within `start_reach` steps of the source come from a grid of half the
/// steps, and those within as many of its steps from the next.
bool needs_finer_start(int halvings, double rows) {
    constexpr double enough = 8;
    return halvings < 2 || (halvings < 4 && rows < enough);
}
int layered_reach(bool is_2d) { return is_2d ? 64 : 32; }
int start_reach(int halvings, bool is_2d) {
    if (!is_2d) return 8;
    return halvings < 2 ? 32 : 16;
}

}  // namespace

MetricField MetricSolver::finer_field(const Model& model, Vec3 source, int halvings,
                                      const Execution& execution) const {
    EikonalOptions options = options_;
    options.until = std::numeric_limits<double>::infinity();
    MetricSolver finer(model, options, execution);
    finer.halvings_ = halvings;
    return finer.solve_from(source, 0, execution);
}

int MetricSolver::start_finer(MetricField& field, SourceNumbers& of,
                              const Execution& execution) const {
    const auto& jumps = model_.coordinates().jumps;
    if (jumps.empty() || options_.order == 1) return 0;
    const Grid grid = model_.grid();
    const Vec3 source = field.factor.position();
    // Takes T of nodes and of points between them from time(q), q in grid coordinates.
    const auto take = [&](NodeRange box, const auto& time_of_node,
                          std::function<double(Vec3)> time) {
        const Vec3 first = grid.position(box.first);
        const Vec3 last = grid.position(box.last);
        field.near_source = [=](Vec3 q) {
            for (int axis = 0; axis < 3; ++axis) {
                const bool inside = q[axis] >= first[axis] && q[axis] <= last[axis];
                if (!inside) return std::numeric_limits<double>::infinity();
            }
            return time(q);
        };
        // Differences of second order beside a row of jumps need its slopes, which start nodes
        // lack.
        if (box.first.z > 0 && jumps[static_cast<std::size_t>(box.first.z)] != 1) ++box.first.z;
        if (box.last.z + 1 < grid.shape.z && jumps[static_cast<std::size_t>(box.last.z)] != 1) {
            --box.last.z;
        }
        for (int i = box.first.x; i <= box.last.x; ++i) {
            for (int j = box.first.y; j <= box.last.y; ++j) {
                for (int k = box.first.z; k <= box.last.z; ++k) {
                    const Vec3 place = model_.mapping().place(grid.position({i, j, k}));
                    const double t0 = field.factor.time(place);
                    const double tau = t0 > 0 ? time_of_node(Index3{i, j, k}, place) / t0 : 1;
                    const std::size_t node = grid.shape.offset({i, j, k});
                    of.fields[static_cast<std::size_t>(NodeNumber::tau)][node] =
                        static_cast<float>(tau);
                    of.fields[static_cast<std::size_t>(NodeNumber::f2)][node] = -1;
                }
            }
        }
    };
    const int reach_of_layers = layered_reach(grid.is_2d());
    if (const auto round = layered_surroundings(model_, source, reach_of_layers)) {
        const auto angle_to = [round = *round, place = model_.place()](Vec3 q) {
            return round.angle_to(place.mapping().place(q));
        };
        const LayeredSphere sphere = layered_sphere(model_, *round);
        if (LayeredRays::knows(sphere)) {
            const auto rays =
                std::make_shared<const LayeredRays>(sphere, source.z, round->farthest);
            const auto at_node = [&](Index3 n, Vec3 place) {
                return rays->at_row(static_cast<std::size_t>(n.z - round->known.first.z),
                                    round->angle_to(place));
            };
            take(round->served, at_node, [=](Vec3 q) { return rays->at_depth(q.z, angle_to(q)); });
            return reach_of_layers + 1;
        }
        if (const auto section = layered_section(model_, source, *round)) {
            const auto finer = std::make_shared<const MetricField>(
                finer_field(section->model, section->source, 1, execution));
            field.first_order |= finer->first_order;
            const auto at_point = [=, start = section->source](Vec3 q) {
                return time_at(*finer, LayeredSection::point(start, angle_to(q), q.z));
            };
            take(
                round->served, [&](Index3 n, Vec3) { return at_point(grid.position(n)); },
                at_point);
            return reach_of_layers + 1;
        }
    }
    const Vec3 at = grid.to_index(source);
    if (!needs_finer_start(halvings_, rows_to_jump(jumps, at.z))) return 0;
    const int reach = start_reach(halvings_, grid.is_2d());
    // Waves that leave the box and come back could be earlier beyond the middle of it only.
    const auto box = refined_box(model_, source, 2 * reach);
    if (!box) return 0;
    const auto finer = std::make_shared<const MetricField>(
        finer_field(box->model, source, halvings_ + 1, execution));
    field.first_order |= finer->first_order;
    NodeRange served{box->first, box->last};
    for (int axis = 0; axis < 3; ++axis) {
        const int centre = static_cast<int>(std::lround(at[axis]));
        served.first[axis] = std::max(served.first[axis], centre - reach);
        served.last[axis] = std::min(served.last[axis], centre + reach);
    }
    const auto at_node = [&](Index3 n, Vec3 place) {
        return finer->factor.time(place) * static_cast<double>(finer->tau(box->inside(n)));
    };
    take(served, at_node, [=](Vec3 q) { return time_at(*finer, q); });
    return reach + 1;
}

}  // namespace fermat
