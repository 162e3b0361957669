#include "phases/layer_kind.hpp"

#include <algorithm>
#include <cmath>

namespace fermat {

LayerKind kind_of(const Model& model) {
    const FieldView<const float> v = model.velocity();
    const Shape shape = model.grid().shape;
    const double first = v(0, 0, 0);
    const auto slope = [&](int axis) {
        if (shape[axis] < 2) return 0.0;
        const int last = shape[axis] - 1;
        const float end = v(axis == 0 ? last : 0, axis == 1 ? last : 0, axis == 2 ? last : 0);
        return (end - first) / last;
    };
    const Vec3 by{slope(0), slope(1), slope(2)};
    const double rounding = 4e-7 * first;  // of single precision
    const CoordinateNumbers& numbers = model.coordinates();
    const bool smooth_grid = model.is_plain() || numbers.system == Coordinates::spherical;
    bool uniform = true;
    bool linear = smooth_grid;
    for (int i = 0; i < shape.x && (uniform || linear); ++i) {
        for (int j = 0; j < shape.y && (uniform || linear); ++j) {
            const float* row = &v(i, j, 0);
            const double start = first + i * by.x + j * by.y;
            double off = 0;
            double change = 0;
            for (int k = 0; k < shape.z; ++k) {
                off = std::max(off, std::fabs(row[k] - (start + k * by.z)));
                change = std::max(change, std::fabs(row[k] - first));
            }
            uniform = uniform && change == 0;
            linear = linear && off <= rounding;
        }
    }
    return {uniform ? 1 / first : 0, linear};
}

int fewest_segments(std::span<const LayerKind> legs) {
    int out = 1;
    for (const LayerKind& leg : legs) {
        if (leg.uniform_slowness > 0) continue;
        out = std::max(out, leg.is_linear ? 16 : 32);
    }
    return out;
}

double smallest_cell(const LayeredMedium& medium) {
    const Vec3 cell = medium.place().cell_at_middle();
    return medium.grid().is_2d() ? std::min(cell.x, cell.z) : std::min({cell.x, cell.y, cell.z});
}

}  // namespace fermat
