#include "phases/derivatives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "core/error.hpp"
#include "phases/layer_sample.hpp"

namespace fermat {
namespace {

using Entries = std::vector<BranchDerivative::Entry>;

/// Sorts entries and adds up those of one unknown.
void gather(Entries& entries) {
    std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
        return std::tie(a.part, a.number) < std::tie(b.part, b.number);
    });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (kept > 0 && entries[kept - 1].part == entries[i].part &&
            entries[kept - 1].number == entries[i].number) {
            entries[kept - 1].value += entries[i].value;
        } else {
            entries[kept++] = entries[i];
        }
    }
    entries.resize(kept);
}

/// Slowness of a leg's layer at a place, and its gradient by grid coordinates turned to places.
struct Middle {
    double slowness;
    Vec3 gradient;
    Vec3 grid_point;
};
Middle middle_of(const LayeredMedium& medium, const Model& model, Vec3 place) {
    const Mapping& mapping = medium.place().mapping();
    const Vec3 q = mapping.from_place(place);
    const VelocitySample v = velocity_sample(model.grid(), model.velocity().data(), q);
    const LayerSample m =
        slowness_of(v.v, transposed(inverse(mapping.jacobian(q))) * v.slope, Sym3{});
    return {m.slowness, m.gradient, q};
}

/// What an interface does to a path that follows it (LayerGuard): the factor of the slowness, and
/// its derivative by the depth of the interface.
struct Push {
    double factor = 1;
    double by_depth = 0;
    int interface = 0;
    Vec3 user{};
};
Push push_of(const LayeredMedium& medium, int layer, Vec3 grid_point, double width) {
    Push out;
    if (width == 0) return out;
    out.user = medium.place().mapping().to_user(grid_point);
    const double above = medium.top_of(layer).depth_at(out.user.x, out.user.y) - out.user.z;
    const double below = out.user.z - medium.bottom_of(layer, out.user.x, out.user.y);
    const double d = std::max({above, below, 0.0}) / width;
    out.factor = 1 + d * d;
    out.interface = below > 0 ? layer + 1 : layer;
    out.by_depth = (below > 0 ? -2 : 2) * d / width;
    return out;
}
void add_push(const LayeredMedium& medium, const Push& push, double time, Entries& depth) {
    if (push.by_depth == 0) return;
    for_each_weight(medium.top_of(push.interface).view(), push.user.x, push.user.y,
                    [&](int point, double weight) {
                        depth.push_back({push.interface, point, weight * time * push.by_depth});
                    });
}

}  // namespace

BranchDerivative derivative_of(const LayeredMedium& medium, const BranchRay& ray) {
    if (!has_arrived(ray.status)) {
        throw InputError(
            fmt::format("a ray of status '{}' has no derivative", name_of(ray.status)));
    }
    BranchDerivative out;
    std::vector<Vec3> at_joint(ray.legs.size() + 1);  // by the place of each end of a leg
    for (std::size_t leg = 0; leg < ray.legs.size(); ++leg) {
        const Leg& of = ray.legs[leg];
        const Model& model = medium.model(of.layer, of.wave);
        const std::int32_t part = 2 * of.layer + (of.wave == Phase::S ? 1 : 0);
        for (int i = 0; i < ray.segments; ++i) {
            const auto k =
                leg * static_cast<std::size_t>(ray.segments) + static_cast<std::size_t>(i);
            const Vec3 a = ray.places[k];
            const Vec3 b = ray.places[k + 1];
            const double length = distance(a, b);
            if (length == 0) continue;
            Middle m = middle_of(medium, model, 0.5 * (a + b));
            const Push push = push_of(medium, of.layer, m.grid_point, ray.guard);
            const double by_velocity = -length * m.slowness * m.slowness * push.factor;
            add_push(medium, push, length * m.slowness, out.depth);
            for_each_corner(model.grid(), m.grid_point, [&](Index3 node, double weight) {
                if (weight == 0) return;
                out.velocity.push_back({part,
                                        static_cast<std::int64_t>(model.grid().shape.offset(node)),
                                        weight * by_velocity});
            });
            const Vec3 along = (m.slowness / length) * (b - a);
            const Vec3 side = (0.5 * length) * m.gradient;
            if (i == 0) at_joint[leg] = at_joint[leg] - along + side;
            if (i + 1 == ray.segments) at_joint[leg + 1] = at_joint[leg + 1] + along + side;
        }
    }
    out.source = at_joint.front();
    out.receiver = at_joint.back();
    const Mapping& mapping = medium.place().mapping();
    for (std::size_t joint = 0; joint + 1 < ray.legs.size(); ++joint) {
        const int number = ray.legs[joint].to;
        const InterfaceView surface = medium.top_of(number).view();
        const double x = ray.joints[2 * joint];
        const double y = ray.joints[2 * joint + 1];
        const Vec3 q = medium.place().grid_point({x, y, surface.depth_at(x, y)});
        const Mat3 by_user = mapping.user_jacobian(q);
        const double deeper =
            dot(at_joint[joint + 1], {by_user(0, 2), by_user(1, 2), by_user(2, 2)});
        for_each_weight(surface, x, y, [&](int point, double weight) {
            if (weight != 0) out.depth.push_back({number, point, weight * deeper});
        });
    }
    gather(out.velocity);
    gather(out.depth);
    return out;
}

}  // namespace fermat
