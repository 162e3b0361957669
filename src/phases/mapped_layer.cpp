#include "phases/mapped_layer.hpp"

namespace fermat {

LayerSample MappedLayer::without_curvature(Vec3 at_place) const {
    const Mapping& mapping = place->mapping();
    const Vec3 q = mapping.from_place(at_place);
    const VelocitySample v = velocity_sample(place->grid(), velocity, q);
    const Mat3 back = transposed(inverse(mapping.jacobian(q)));
    const LayerSample m = slowness_of(v.v, back * v.slope, {});
    if (!(guard.width > 0)) return m;
    const Vec3 user = mapping.to_user(q);
    LayerGuard::Outside out = guard.outside(user.x, user.y, user.z);
    if (!(out.d > 0)) return m;
    out.slope = transposed(inverse(mapping.user_jacobian(q))) * out.slope;
    return guarded(m, out, guard.width);
}

LayerSample MappedLayer::at(Vec3 at_place) const {
    if (uniform > 0 && !(guard.width > 0)) return {uniform, {}, {}};
    LayerSample out = without_curvature(at_place);
    Mat3 bend;
    for (int axis = 0; axis < 3; ++axis) {
        Vec3 shift;
        shift[axis] = step;
        const Vec3 change = without_curvature(at_place + shift).gradient -
                            without_curvature(at_place - shift).gradient;
        for (int row = 0; row < 3; ++row) bend(row, axis) = change[row] / (2 * step);
    }
    out.curvature = {bend(0, 0),
                     bend(1, 1),
                     bend(2, 2),
                     0.5 * (bend(0, 1) + bend(1, 0)),
                     0.5 * (bend(0, 2) + bend(2, 0)),
                     0.5 * (bend(1, 2) + bend(2, 1))};
    return out;
}

double MappedLayer::slowness(Vec3 at_place) const {
    if (uniform > 0 && !(guard.width > 0)) return uniform;
    const Mapping& mapping = place->mapping();
    const Vec3 q = mapping.from_place(at_place);
    const double s = 1 / velocity_sample(place->grid(), velocity, q).v;
    if (!(guard.width > 0)) return s;
    const Vec3 user = mapping.to_user(q);
    const double d = guard.outside(user.x, user.y, user.z).d / guard.width;
    return s * (1 + d * d);
}

Vec3 MappedSurface::place_at(double x, double y) const {
    return place->mapping().place(place->grid_point({x, y, view.depth_at(x, y)}));
}

SurfacePoint MappedSurface::at(double x, double y) const {
    SurfacePoint out;
    out.place = place_at(x, y);
    const Vec3 right = place_at(x + step_x, y);
    const Vec3 left = place_at(x - step_x, y);
    out.a = (right - left) / (2 * step_x);
    out.aa = (right + left - 2.0 * out.place) / (step_x * step_x);
    const Vec3 q = place->grid_point({x, y, view.depth_at(x, y)});
    const Mat3 by_user = place->mapping().user_jacobian(q);
    out.deeper = {by_user(0, 2), by_user(1, 2), by_user(2, 2)};
    if (place->grid().is_2d()) return out;
    const Vec3 front = place_at(x, y + step_y);
    const Vec3 back = place_at(x, y - step_y);
    out.b = (front - back) / (2 * step_y);
    out.bb = (front + back - 2.0 * out.place) / (step_y * step_y);
    out.ab = (place_at(x + step_x, y + step_y) - place_at(x + step_x, y - step_y) -
              place_at(x - step_x, y + step_y) + place_at(x - step_x, y - step_y)) /
             (4 * step_x * step_y);
    return out;
}

}  // namespace fermat
