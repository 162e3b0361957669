#include "location/frame.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "location/catalogue.hpp"

namespace fermat {
namespace {

constexpr double degree = std::numbers::pi / 180;

/// Puts other units on a covariance.
void scale(Matrix3& covariance, Vec3 by) {
    for (std::size_t a = 0; a < 3; ++a) {
        for (std::size_t b = 0; b < 3; ++b) {
            covariance[a][b] *= by[static_cast<int>(a)] * by[static_cast<int>(b)];
        }
    }
}

}  // namespace

LocationFrame::LocationFrame(const Model& model)
    : model_(model),
      sphere_(model.metric()->coordinates().system == Coordinates::spherical),
      radius_(model.metric()->coordinates().radius) {
    const Grid& grid = model.grid();
    for (int axis = 0; axis < 3; ++axis) {
        middle_[axis] = grid.coordinate(axis, 0.5 * (grid.shape[axis] - 1));
    }
    if (!sphere_) return;
    north_ = radius_ * degree;
    east_ = north_ * std::cos(middle_.x * degree);
}

Vec3 LocationFrame::to_grid(Vec3 place) const {
    if (sphere_) return {middle_.x + place.y / north_, middle_.y + place.x / east_, place.z};
    if (model_.grid().is_2d()) place.y = model_.grid().origin.y;
    return mapping().to_grid(place);
}

Mat3 LocationFrame::slope(Vec3 place) const {
    if (!sphere_) return inverse(mapping().jacobian(to_grid(place)));
    Mat3 out;
    out(0, 1) = 1 / north_;
    out(1, 0) = 1 / east_;
    out(2, 2) = 1;
    return out;
}

Vec3 LocationFrame::from_user(Vec3 user) const {
    if (!sphere_) return user;
    const Vec3 q = mapping().to_grid(user);
    return {(q.y - middle_.y) * east_, (q.x - middle_.x) * north_, q.z};
}

Vec3 LocationFrame::to_user(Vec3 place) const {
    return sphere_ ? mapping().to_user(to_grid(place)) : place;
}

SearchBox LocationFrame::box() const {
    const Grid& grid = model_.grid();
    if (sphere_) {
        return {from_user(mapping().to_user(grid.origin)),
                from_user(mapping().to_user(grid.far_corner()))};
    }
    SearchBox box{mapping().to_user(grid.origin), mapping().to_user(grid.far_corner())};
    for (int i = 0; i < grid.shape.x; ++i) {
        for (int j = 0; j < grid.shape.y; ++j) {
            box.low.z = std::min(box.low.z, mapping().to_user(grid.position({i, j, 0})).z);
        }
    }
    return box;
}

Vec3 LocationFrame::cell_at_middle() const {
    const Mat3 jacobian = mapping().jacobian(middle_);
    Vec3 out;
    for (int axis = 0; axis < 3; ++axis) {
        const Vec3 column{jacobian(0, axis), jacobian(1, axis), jacobian(2, axis)};
        out[axis] = model_.grid().spacing[axis] * norm(column);
    }
    return out;
}

bool LocationFrame::holds(Vec3 place) const {
    return is_finite(place) && model_.grid().contains(to_grid(place));
}

Vec3 LocationFrame::way(Vec3 from, Vec3 to) const {
    if (!sphere_) return to - from;
    const Vec3 a = to_grid(from);
    const Vec3 b = to_grid(to);
    const double apart = (b.y - a.y) * degree;
    const double east = std::sin(apart) * std::cos(b.x * degree);
    const double north = std::cos(a.x * degree) * std::sin(b.x * degree) -
                         std::sin(a.x * degree) * std::cos(b.x * degree) * std::cos(apart);
    const double up = std::sin(a.x * degree) * std::sin(b.x * degree) +
                      std::cos(a.x * degree) * std::cos(b.x * degree) * std::cos(apart);
    const double level = std::hypot(east, north);
    const double per = level > 0 ? radius_ * std::atan2(level, up) / level : 0;
    return {per * east, per * north, b.z - a.z};
}

Vec3 LocationFrame::lengths_at(Vec3 place) const {
    if (!sphere_) return {1, 1, 1};
    const double level = 1 - place.z / radius_;
    const double latitude = to_grid(place).x * degree;
    return {level * std::cos(latitude) / std::cos(middle_.x * degree), level, 1};
}

Survey LocationFrame::from_user(const Survey& survey) const {
    Survey out = survey;
    for (Event& event : out.events) event.position = from_user(event.position);
    for (Station& station : out.stations) station.position = from_user(station.position);
    return out;
}

LocateOptions LocationFrame::from_user(const LocateOptions& options) const {
    LocateOptions out = options;
    if (options.box) out.box = SearchBox{from_user(options.box->low), from_user(options.box->high)};
    if (sphere_) std::swap(out.prior.x, out.prior.y);
    return out;
}

void LocationFrame::to_user(Catalogue& catalogue) const {
    if (!sphere_) return;
    for (Hypocentre& event : catalogue.events) {
        if (!is_located(event.status)) continue;
        const Vec3 lengths = lengths_at(event.position);
        scale(event.covariance, lengths);
        scale(event.posterior.covariance, lengths);
        event.ellipsoid = ellipsoid_of(event.covariance);
        event.position = to_user(event.position);
        event.posterior.mean = to_user(event.posterior.mean);
        for (Vec3& place : event.posterior.places) place = to_user(place);
    }
}

}  // namespace fermat
