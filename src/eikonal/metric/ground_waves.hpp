#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "eikonal/metric/ground_cells.hpp"

namespace fermat {

/// Times of the nodes below ground while waves go through the cells, and whence they came: from the
/// source or, in 2-D, round a corner of the ground.
template <int Dim>
class GroundWaves : public GroundCells<Dim> {
    using Base = GroundCells<Dim>;

  protected:
    using Base::is_rock;
    using Base::node_at;
    using Base::places_;
    using Base::shape_;
    using Base::slowness_;

    static constexpr std::int64_t at_source = -1;

    /// Where a wave comes from: the source, or a corner of the ground.
    struct Centre {
        Vec3 place;
        double time = 0;
    };

    GroundWaves(const Model& model, Vec3 source)
        : Base(model),
          source_{source, 0},
          time_(shape_.count(), INFINITY),
          centre_(shape_.count(), at_source),
          ray_(shape_.count()) {}

    Centre centre(std::int64_t number) const {
        if (number == at_source) return source_;
        const auto n = static_cast<std::size_t>(number);
        return {places_[n], time_[n]};
    }
    /// The centre of a wave that goes on from a node.
    std::int64_t centre_behind(std::size_t n) const {
        return this->corner_[n] ? static_cast<std::int64_t>(n) : centre_[n];
    }

    /// Mean slowness on the way from a centre.
    double value_at(std::size_t n, const Centre& origin) const {
        const double r = distance(places_[n], origin.place);
        return r > 0 ? (time_[n] - origin.time) / r : slowness_[n];
    }
    /// The value on the line from node `other` through `end`, in the next column (or, along z, at
    /// the next node), where the same wave came first. `ratio` is how far that is, in lengths of
    /// the line between the two.
    bool value_beyond(std::size_t end, std::size_t other, int along, int step, std::int64_t number,
                      bool factored, double& value, double& ratio) const {
        const Centre origin = centre(number);
        Index3 next = node_at(end);
        next[along] += step;
        if (next[along] < 0 || next[along] >= shape_[along]) return false;
        const auto read = [&](Index3 node) -> double {
            const std::size_t n = shape_.offset(node);
            if (centre_[n] != number && static_cast<std::int64_t>(n) != number) return INFINITY;
            return factored ? value_at(n, origin) : time_[n] - origin.time;
        };
        if (along == 2) {
            value = read(next);
            return std::isfinite(value);
        }
        const Vec3 a = places_[other];
        const Vec3 b = places_[end];
        next.z = 0;
        const Vec3 top = places_[shape_.offset(next)];
        ratio = (top[along] - b[along]) / (b[along] - a[along]);
        const double z = b.z + ratio * (b.z - a.z);
        next.z = 1;
        const double dz = places_[shape_.offset(next)].z - top.z;
        const double row = (z - top.z) / dz;
        constexpr double slack = 1e-6;
        if (shape_.z < 3 || row < -slack || row > shape_.z - 1 + slack) return false;
        next.z = std::clamp(static_cast<int>(std::lround(row)), 1, shape_.z - 2);
        const double t = row - next.z;
        Index3 above = next;
        Index3 below = next;
        --above.z;
        ++below.z;
        const double va = read(above);
        const double vm = read(next);
        const double vb = read(below);
        value = vm + 0.5 * t * (vb - va) + 0.5 * t * t * (va - 2 * vm + vb);
        return std::isfinite(value);
    }

    /// Where a node lies beside the ray that goes on past a corner: 0 on it, and of one sign on
    /// either side. The ray is taken to bend by what velocity changes there and at the node.
    double side_of(std::int64_t corner, std::size_t node) const {
        const auto n = static_cast<std::size_t>(corner);
        const Vec3 way = places_[node] - places_[n];
        const Vec3 normal{-ray_[n].z, 0, ray_[n].x};
        // The corner's turns the ray from there on, the node's at last.
        const Vec3 gradient = (2 * relative_gradient(n) + relative_gradient(node)) / 3;
        return dot(normal, way) + 0.5 * dot(gradient, normal) * dot(way, way);
    }

    Centre source_;
    std::vector<double> time_;
    std::vector<std::int64_t> centre_;
    std::vector<Vec3> ray_;  ///< with which the wave comes to a corner of the ground

  private:
    /// That of velocity, divided by it. Rays turn away from it.
    Vec3 relative_gradient(std::size_t n) const {
        const Index3 node = node_at(n);
        const auto slope = [&](int axis, const auto& value) {
            const auto next = [&](int step) {
                Index3 to = node;
                to[axis] += step;
                const bool known = to[axis] >= 0 && to[axis] < shape_[axis];
                const std::size_t m = known ? shape_.offset(to) : n;
                return value(is_rock(m) ? m : n);
            };
            return next(1) - next(-1);
        };
        const auto x = [&](std::size_t m) { return places_[m].x; };
        const auto z = [&](std::size_t m) { return places_[m].z; };
        const auto log_velocity = [&](std::size_t m) { return -std::log(slowness_[m]); };
        const double deeper = slope(2, z);
        const double further = slope(0, x);
        const double by_z = deeper > 0 ? slope(2, log_velocity) / deeper : 0;
        const double along = slope(0, log_velocity) - by_z * slope(0, z);
        return {further > 0 ? along / further : 0, 0, by_z};
    }
};

}  // namespace fermat
