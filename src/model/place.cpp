#include "model/place.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.hpp"

namespace fermat {

Place::Place(const Grid& grid) : grid_(grid) {
    static const std::shared_ptr<const Mapping> cartesian = make_mapping(grid, {});
    mapping_ = cartesian;
}

Place::Place(const Grid& grid, std::shared_ptr<const Mapping> mapping)
    : grid_(grid), mapping_(std::move(mapping)) {}

Vec3 Place::grid_point(Vec3 user) const {
    if (grid_.is_2d()) user.y = grid_.origin.y;
    return mapping_->to_grid(user);
}

bool Place::holds(Vec3 user) const { return is_finite(user) && grid_.contains(grid_point(user)); }

Vec3 Place::inside(Vec3 user, const std::string& what) const {
    if (holds(user)) return nearest(user);
    const Corners box = corners();
    throw InputError(fmt::format("{} at {} is outside the model (must lie between {} and {})", what,
                                 to_string(grid_, user), to_string(grid_, box.low),
                                 to_string(grid_, box.high)));
}

Corners Place::corners() const {
    return {mapping_->to_user(grid_.origin), mapping_->to_user(grid_.far_corner())};
}

double Place::distance(Vec3 a, Vec3 b) const {
    return fermat::distance(mapping_->place(grid_point(a)), mapping_->place(grid_point(b)));
}

Vec3 Place::flat_to_grid(Vec3 flat) const {
    if (grid_.is_2d()) flat.y = grid_.origin.y;
    return mapping_->flat_to_grid(flat);
}

bool Place::holds_flat(Vec3 flat) const {
    return is_finite(flat) && grid_.contains(flat_to_grid(flat));
}

Vec3 Place::nearest_flat(Vec3 flat) const {
    const Vec3 q = flat_to_grid(flat);
    if (grid_.contains(q) && grid_.clamp(q) == q) return flat;
    return mapping_->flat_from_user(mapping_->to_user(grid_.clamp(q)));
}

Mat3 Place::flat_jacobian(Vec3 flat) const {
    return mapping_->jacobian(flat_to_grid(flat)) * mapping_->flat_slope(flat);
}

Corners Place::flat_corners() const {
    const auto flat = [&](Vec3 q) { return mapping_->flat_from_user(mapping_->to_user(q)); };
    Corners box{flat(grid_.origin), flat(grid_.far_corner())};
    if (!mapping_->follows_ground()) return box;
    for (int i = 0; i < grid_.shape.x; ++i) {
        for (int j = 0; j < grid_.shape.y; ++j) {
            box.low.z = std::min(box.low.z, flat(grid_.position({i, j, 0})).z);
        }
    }
    return box;
}

Vec3 Place::cell_at_middle() const {
    Vec3 middle;
    for (int axis = 0; axis < 3; ++axis) {
        middle[axis] = grid_.coordinate(axis, 0.5 * (grid_.shape[axis] - 1));
    }
    const Mat3 jacobian = mapping_->jacobian(middle);
    Vec3 out;
    for (int axis = 0; axis < 3; ++axis) {
        const Vec3 column{jacobian(0, axis), jacobian(1, axis), jacobian(2, axis)};
        out[axis] = grid_.spacing[axis] * norm(column);
    }
    return out;
}

}  // namespace fermat
