#include "eikonal/metric/metric_gradient.hpp"

#include <cmath>
#include <limits>

#include "core/parallel.hpp"
#include "eikonal/time_gradient.hpp"

namespace fermat {
namespace {

/// Differences along an axis on one side of a node, in steps of the grid.
struct SideDifference {
    bool known = false;
    double tau = 0;
    Vec3 place;
};

/// The gradients of a node from the sides that are reached.
class NodeGradient {
  public:
    NodeGradient(const MetricField& field, Index3 node)
        : field_(field), node_(node), q_(field.grid().position(node)) {
        frame_ = field.mapping().frame(q_);
        const MetricFactor::Value t0 = field.factor.at(field.mapping().place(q_));
        t0_ = t0.time;
        own_ = static_cast<double>(field.tau(node)) * t0.gradient;
        const Mat3 jacobian = field.mapping().node_jacobian(field.grid(), node);
        for (int axis = 0; axis < 3; ++axis) {
            auto& sides = sides_[static_cast<std::size_t>(axis)];
            if (field.grid().shape[axis] > 1) sides = differences(axis);
            if (sides[0].known || sides[1].known) continue;
            // tau is constant along an axis without neighbours.
            const Vec3 along{jacobian(0, axis), jacobian(1, axis), jacobian(2, axis)};
            sides[0] = {true, 0, along};
        }
    }

    /// In the frame.
    Vec3 best() const {
        Vec3 best{NAN, NAN, NAN};
        double least = std::numeric_limits<double>::infinity();
        for (int which = 0; which < 8; ++which) {
            const Try one = from_sides(which);
            if (!(one.misfit < least)) continue;
            least = one.misfit;
            best = one.gradient;
        }
        return best;
    }

  private:
    struct Try {
        double misfit = std::numeric_limits<double>::infinity();
        Vec3 gradient;
    };

    std::array<SideDifference, 2> differences(int axis) const {
        double tau[5];
        Vec3 place[5];
        for (int n = 0; n < 5; ++n) {
            Index3 next = node_;
            next[axis] += n - 2;
            const bool inside = next[axis] >= 0 && next[axis] < field_.grid().shape[axis];
            tau[n] = inside ? static_cast<double>(field_.tau(next)) : double{INFINITY};
            if (inside) place[n] = field_.mapping().place(field_.grid().position(next));
        }
        const SideBends bends = side_bends(tau);
        const auto side = [&](int near, int bent) {
            SideDifference out;
            out.known = std::isfinite(tau[near]);
            if (!out.known) return out;
            const double away = near - 2;
            out.tau = away * (tau[near] - tau[2]);
            out.place = away * (place[near] - place[2]);
            if (bent == 0) return out;
            out.tau -= 0.5 * away * (tau[bent - 1] - 2 * tau[bent] + tau[bent + 1]);
            out.place =
                out.place - (0.5 * away) * (place[bent - 1] - 2.0 * place[bent] + place[bent + 1]);
            return out;
        };
        return {side(1, bends.low), side(3, bends.high)};
    }

    /// Bit `axis` of `which`: from the nodes above.
    Try from_sides(int which) const {
        Mat3 steps;  // rows: differences of the place
        Vec3 change;
        for (int axis = 0; axis < 3; ++axis) {
            const auto& side =
                sides_[static_cast<std::size_t>(axis)][static_cast<std::size_t>(which >> axis & 1)];
            if (!side.known) return {};
            for (int c = 0; c < 3; ++c) steps(axis, c) = side.place[c];
            change[axis] = side.tau;
        }
        Try out;
        const Mat3 back = inverse(steps);
        out.gradient = transposed(frame_) * (t0_ * (back * change) + own_);
        if (field_.grid().is_2d()) out.gradient.y = 0;
        const Mat3 tensor = field_.model.metric()->tensor_at(field_.grid(), q_, out.gradient);
        const Vec3 group = tensor * out.gradient;
        const double s = slowness(which >> 2 & 1);
        const double length2 = dot(out.gradient, group) / (s * s);
        // The wave goes away from the sides that the differences come from.
        const Vec3 way = transposed(back) * (frame_ * group);
        double against = 0;
        for (int axis = 0; axis < 3; ++axis) {
            const auto& sides = sides_[static_cast<std::size_t>(axis)];
            if (!sides[0].known || !sides[1].known) continue;
            const Vec3 step{steps(axis, 0), steps(axis, 1), steps(axis, 2)};
            const double share = way[axis] * norm(step) / norm(group);
            against = std::max(against, which >> axis & 1 ? share : -share);
        }
        out.misfit = std::abs(length2 - 1) + against;
        return out;
    }

    /// On a row of jumps the velocity above it belongs to the nodes above.
    double slowness(bool from_below) const {
        const auto& jumps = field_.model.coordinates().jumps;
        const double below = metric_slowness(field_.model, q_);
        if (jumps.empty() || from_below) return below;
        return below * jumps[static_cast<std::size_t>(node_.z)];
    }

    const MetricField& field_;
    Index3 node_;
    Vec3 q_;
    Mat3 frame_;
    double t0_ = 0;
    Vec3 own_;  ///< tau grad T0, by the place
    std::array<std::array<SideDifference, 2>, 3> sides_{};
};

}  // namespace

std::array<Field<float>, 3> time_gradient(const MetricField& field, int threads) {
    const Grid& grid = field.grid();
    std::array<Field<float>, 3> gradient;
    for (int axis = 0; axis < 3; ++axis) {
        if (axis == 1 && grid.is_2d()) continue;
        gradient[static_cast<std::size_t>(axis)] = Field<float>(grid.shape);
    }
    const Vec3 source = grid.to_index(field.factor.position());
    parallel_for(grid.shape.x, threads, [&](std::int64_t slab) {
        const int i = static_cast<int>(slab);
        for (int j = 0; j < grid.shape.y; ++j) {
            for (int k = 0; k < grid.shape.z; ++k) {
                const Index3 node{i, j, k};
                // Rounding may put a source that is given on a node slightly beside it.
                const Vec3 apart = Vec3{double(i), double(j), double(k)} - source;
                const bool at_source = norm(apart) < 1e-9;
                const bool reached = std::isfinite(field.tau(node));
                const Vec3 here =
                    at_source || !reached ? Vec3{NAN, NAN, NAN} : NodeGradient(field, node).best();
                for (int axis = 0; axis < 3; ++axis) {
                    auto& component = gradient[static_cast<std::size_t>(axis)];
                    if (!component.empty()) component(node) = static_cast<float>(here[axis]);
                }
            }
        }
    });
    return gradient;
}

}  // namespace fermat
