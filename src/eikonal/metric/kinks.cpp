#include "eikonal/metric/kinks.hpp"

#include "model/metric.hpp"

namespace fermat {
namespace {

/// z(n) per node, by one difference of second order or, at the edge, of first; 0 without
/// neighbours.
template <class Depth>
double one_sided(const Depth& z, int n, int last, int side) {
    const auto inside = [&](int at) { return at >= 0 && at <= last; };
    if (!inside(n + side)) return 0;
    const double first = side * (z(n + side) - z(n));
    if (!inside(n + 2 * side)) return first;
    return first + 0.5 * (first - side * (z(n + 2 * side) - z(n + side)));
}

}  // namespace

GroundKinks ground_kinks(const Model& model) {
    GroundKinks out;
    if (model.coordinates().system != Coordinates::terrain) return out;
    const Grid& grid = model.grid();
    const auto ground = [&](Index3 n) { return model.mapping().place(grid.position(n)).z; };
    const double bottom = grid.far_corner().z;
    bool any = false;
    const std::size_t columns =
        static_cast<std::size_t>(grid.shape.x) * static_cast<std::size_t>(grid.shape.y);
    for (auto& side : out.at_ground) side.assign(columns, 0.0F);
    for (int i = 0; i < grid.shape.x; ++i) {
        for (int j = 0; j < grid.shape.y; ++j) {
            const Index3 here{i, j, 0};
            const std::size_t column =
                static_cast<std::size_t>(i) * static_cast<std::size_t>(grid.shape.y) +
                static_cast<std::size_t>(j);
            const Mat3 jacobian = model.mapping().node_jacobian(grid, here);
            // The rows are equally far apart in a column.
            const double row = (bottom - ground(here)) / (grid.shape.z - 1);
            for (int axis = 0; axis < 2; ++axis) {
                const int last = grid.shape[axis] - 1;
                if (last == 0) continue;
                const auto depth = [&](int n) {
                    Index3 other = here;
                    other[axis] = n;
                    return ground(other);
                };
                // In 2-D the axis x of the grid is y of the sweeps.
                const std::size_t first = grid.is_2d() || axis == 1 ? 2 : 0;
                for (int side = 0; side < 2; ++side) {
                    const int sense = side == 0 ? -1 : 1;
                    if (here[axis] + sense < 0 || here[axis] + sense > last) continue;
                    const double slope = one_sided(depth, here[axis], last, sense);
                    const double centred = jacobian(2, axis) * grid.spacing[axis];
                    const double e = (slope - centred) / row;
                    out.at_ground[first + static_cast<std::size_t>(side)][column] =
                        static_cast<float>(e);
                    any |= e != 0;
                }
            }
        }
    }
    for (int k = 0; any && k < grid.shape.z; ++k) {
        out.share.push_back(1 - static_cast<float>(k) / static_cast<float>(grid.shape.z - 1));
    }
    return out;
}

}  // namespace fermat
