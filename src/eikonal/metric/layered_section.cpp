#include "eikonal/metric/layered_section.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <utility>

#include "eikonal/metric/factor.hpp"
#include "eikonal/metric/refined_box.hpp"
#include "model/metric.hpp"

namespace fermat {
namespace {

constexpr double degree = std::numbers::pi / 180;
constexpr int parts = 4;  ///< of a step of the model

NodeRange box_round(const Grid& grid, Vec3 u, int reach) {
    NodeRange box;
    for (int axis = 0; axis < 3; ++axis) {
        const int centre = static_cast<int>(std::lround(u[axis]));
        box.first[axis] = std::max(0, centre - reach);
        box.last[axis] = std::min(grid.shape[axis] - 1, centre + reach);
    }
    return box;
}

bool is_layered(const Model& model, const NodeRange& box) {
    for (int i = box.first.x; i <= box.last.x; ++i) {
        for (int j = box.first.y; j <= box.last.y; ++j) {
            for (int k = box.first.z; k <= box.last.z; ++k) {
                const float here = model.velocity()(i, j, k);
                if (here == 0 || here != model.velocity()(box.first.x, box.first.y, k)) {
                    return false;
                }
            }
        }
    }
    return true;
}

}  // namespace

double LayeredSurroundings::angle_to(Vec3 place) const {
    return std::atan2(norm(crossed(direction, place)), dot(direction, place));
}

std::optional<LayeredSurroundings> layered_surroundings(const Model& model, Vec3 source,
                                                        int reach) {
    const CoordinateNumbers& whole = model.coordinates();
    const Grid& grid = model.grid();
    if (whole.system != Coordinates::spherical || !model.is_isotropic()) return {};
    const Vec3 at = grid.to_index(source);
    if (rows_to_jump(whole.jumps, at.z) > reach) return {};
    LayeredSurroundings out{box_round(grid, at, reach), box_round(grid, at, reach + reach / 2),
                            model.mapping().place(source)};
    if (!is_layered(model, out.known)) return {};
    for (const int i : {out.served.first.x, out.served.last.x}) {
        for (const int j : {out.served.first.y, out.served.last.y}) {
            const Vec3 corner = model.mapping().place(grid.position({i, j, 0}));
            out.farthest = std::max(out.farthest, out.angle_to(corner));
        }
    }
    return out;
}

LayeredSphere layered_sphere(const Model& model, const LayeredSurroundings& round) {
    const CoordinateNumbers& whole = model.coordinates();
    LayeredSphere sphere;
    sphere.radius = whole.radius;
    for (int k = round.known.first.z; k <= round.known.last.z; ++k) {
        const double above =
            1 / static_cast<double>(model.velocity()(round.known.first.x, round.known.first.y, k));
        sphere.depths.push_back(model.grid().coordinate(2, k));
        sphere.above.push_back(above);
        sphere.below.push_back(above / whole.jumps[static_cast<std::size_t>(k)]);
    }
    return sphere;
}

Vec3 LayeredSection::point(Vec3 source, double angle, double depth) {
    return {source.x + angle / degree, source.y, depth};
}

std::optional<LayeredSection> layered_section(const Model& model, Vec3 source,
                                              const LayeredSurroundings& round) {
    const CoordinateNumbers& whole = model.coordinates();
    const Grid& grid = model.grid();
    if (grid.is_2d()) return {};
    const NodeRange& known = round.known;
    const double farthest = round.farthest / degree;
    // Some columns lie behind the source, and some beyond what is asked for.
    constexpr int behind = 8;
    constexpr double room = 1.25;
    constexpr double most_columns = 800;
    constexpr double most_degrees = 60;
    if (farthest * room > most_degrees) return {};
    const double along = std::min({grid.spacing.x, grid.spacing.y * std::cos(source.x * degree),
                                   grid.spacing.z / (whole.radius * degree)});
    const double step = std::max(along / parts, room * farthest / most_columns);
    const int columns = behind + static_cast<int>(std::ceil(room * farthest / step)) + 1;
    const int rows = parts * (known.last.z - known.first.z) + 1;
    const Grid section{{columns, 1, rows},
                       {-behind * step, 0, grid.coordinate(2, known.first.z)},
                       {step, 1, grid.spacing.z / parts}};
    CoordinateNumbers numbers;
    numbers.system = Coordinates::spherical;
    numbers.radius = whole.radius;
    numbers.jumps.assign(static_cast<std::size_t>(rows), 1.0);
    Field<float> velocity(section.shape);
    for (int k = 0; k < rows; ++k) {
        const bool on_row = k % parts == 0;
        const int row = known.first.z + k / parts;
        const Vec3 q{source.x, source.y, section.coordinate(2, k)};
        // The nodes of a row of jumps hold the velocity above it.
        const double v =
            on_row ? static_cast<double>(model.velocity()(known.first.x, known.first.y, row))
                   : 1 / metric_slowness(model, q);
        for (int i = 0; i < columns; ++i) velocity(i, 0, k) = static_cast<float>(v);
        if (on_row) {
            numbers.jumps[static_cast<std::size_t>(k)] = whole.jumps[static_cast<std::size_t>(row)];
        }
    }
    return LayeredSection{Model(section, std::move(velocity))
                              .with_metric(std::make_shared<const Metric>(section, numbers)),
                          {0, 0, source.z}};
}

}  // namespace fermat
