#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <type_traits>
#include <vector>

#include "eikonal/lanes.hpp"
#include "eikonal/metric/factor_square.hpp"
#include "eikonal/metric/group_series.hpp"
#include "model/metric.hpp"
#include "model/model.hpp"

namespace fermat {

/// T0 of a model with a metric: the time in the homogeneous medium of the source, along the
/// straight line d between places,
///
///     T0^2 = d . S d,   S = D^-1 at the source,
///
/// or that of Thomsen's group velocity. In homogeneous media tau = T/T0 is 1 in any coordinates.
/// Where a tensor varies, tau = 1 + O(d) would still have another slope in every direction, and the
/// solution only first order beside the source. So T0 also contains the first variation of S,
///
///     T0^2 = d . S d phi(z),   z = (1/2) sum_k d_k d . dS/dx_k d / (d . S d),
///
/// with phi(z) = 1 + z / sqrt(1 + 4 z^2), which keeps T0^2 positive.
class MetricFactor {
  public:
    /// `source` is given in grid coordinates and lies in rock.
    MetricFactor(const Model& model, Vec3 source);

    struct Value {
        double time = 0;
        Vec3 gradient;  ///< with respect to the place
    };
    Value at(Vec3 place) const {
        const Square square = square_at(place);
        if (!(square.value > 0)) return {};
        const double time = std::sqrt(square.value);
        return {time, square.half_slope / time};
    }
    double time(Vec3 place) const { return std::sqrt(square_at(place).value); }

    /// T0^2 and half its gradient with respect to the place, T0 grad T0.
    struct Square {
        double value = 0;
        Vec3 half_slope;
    };
    FERMAT_HD Square square_at(Vec3 place) const {
        const Vec3 d = place - place_;
        const SquareOf<double> square = square_of(d.x, d.y, d.z);
        return {square.value, {square.x, square.y, square.z}};
    }
    /// The same along a line of nodes, an array of each number.
    struct SquareLine {
        std::vector<double> value, x, y, z;
    };
    void squares_at(std::span<const MappedPoint> line, SquareLine& out) const;

    /// The numbers of T0^2, for devices; of no meaning in Thomsen's medium.
    const FactorSquare& ellipse() const { return ellipse_; }
    /// In grid coordinates.
    Vec3 position() const { return position_; }
    Vec3 place() const { return place_; }

    /// What the shape of T0 is made of, besides the position: of Thomsen's medium its parameters,
    /// else S and its variation dS/dx_k / 2.
    struct Shape0 {
        Mat3 squared_slowness;
        std::array<Mat3, 3> variation;
        Thomsen thomsen;
    };
    Shape0 shape() const;
    /// T0 of the same source with another shape.
    MetricFactor with(const Shape0& shape) const;

  private:
    /// Of the vector (x, y, z) from the source.
    template <class V>
    FERMAT_HD_INLINE SquareOf<V> square_of(V x, V y, V z) const {
        return has_thomsen_ ? thomsen_square(x, y, z) : ellipse_.at(x, y, z);
    }
    /// T0^2 = s0^2 |d|^2 G(x), x = (d.n)^2 / |d|^2.
    template <class V>
    FERMAT_HD_INLINE SquareOf<V> thomsen_square(V x, V y, V z) const {
        const Vec3 n = thomsen_.axis;
        const double s2 = slowness_ * slowness_;
        if (!series_.converges()) return by_group_time(x, y, z);
        const V along = n.x * x + n.y * y + n.z * z;
        const V length2 = x * x + y * y + z * z;
        const V cos2 = along * along / (length2 > 0 ? length2 : V{} + 1);
        const auto g = series_.at(cos2);
        const V by_d = s2 * (g.value - cos2 * g.slope);
        const V by_n = s2 * g.slope * along;
        return {s2 * length2 * g.value, by_d * x + by_n * n.x, by_d * y + by_n * n.y,
                by_d * z + by_n * n.z};
    }
    template <class V>
    FERMAT_HD SquareOf<V> by_group_time(V x, V y, V z) const {
        if constexpr (std::is_same_v<V, double>) {
            const GroupTime group = group_time(thomsen_, {x, y, z});
            const double scale = slowness_ * slowness_ * group.time;
            return {scale * group.time, scale * group.slowness.x, scale * group.slowness.y,
                    scale * group.slowness.z};
        } else {
            SquareOf<V> out{};
            for (int n = 0; n < lane_count<double>; ++n) {
                const auto one = by_group_time<double>(x[n], y[n], z[n]);
                out.value[n] = one.value;
                out.x[n] = one.x;
                out.y[n] = one.y;
                out.z[n] = one.z;
            }
            return out;
        }
    }

    Vec3 position_;
    Vec3 place_;
    FactorSquare ellipse_;
    bool has_thomsen_ = false;
    double slowness_ = 0;
    Thomsen thomsen_;  ///< with the axis as a direction in space
    GroupSeries series_;
};

/// Slowness at a point, as slowness_at, with the jumps of the metric: on a row of jumps, that
/// below.
double metric_slowness(const Model& model, Vec3 q);

/// The same and its change per node of the grid along each axis, at a point in nodes. Of an
/// infinite slowness where a node of the cell is air.
struct MetricSlowness {
    double slowness = 0;
    Vec3 by_node;
};
MetricSlowness metric_slowness_point(const Model& model, Vec3 u);

/// Time along the straight line between the places of two near points of the grid.
double straight_time(const Model& model, Vec3 from, Vec3 to);

/// Fractions of a line at which it crosses rows of jumps, from 0 to 1, with both ends.
std::vector<double> parts_between_jumps(const Model& model, Vec3 from, Vec3 to);

/// Calls visit(q, d, weight) for the points of Simpson's rule along that line, whose step in space
/// is d: its time is the sum of weight * line_time(model, q, d). No part crosses a row of jumps.
template <class Visit>
void for_each_time_sample(const Model& model, Vec3 from, Vec3 to, Visit visit) {
    const Mapping& mapping = model.mapping();
    const Vec3 d = mapping.place(to) - mapping.place(from);
    constexpr double weights[] = {1, 4, 2, 4, 1};
    if (model.coordinates().jumps.empty()) {
        for (int i = 0; i < 5; ++i) visit(from + (i / 4.0) * (to - from), d, weights[i] / 12);
        return;
    }
    const std::vector<double> ends = parts_between_jumps(model, from, to);
    for (std::size_t n = 1; n < ends.size(); ++n) {
        const double length = ends[n] - ends[n - 1];
        for (int i = 0; i < 5; ++i) {
            // On a row of jumps itself, the side of the part counts.
            const double t = ends[n - 1] + length * std::clamp(i / 4.0, 1e-6, 1 - 1e-6);
            visit(from + t * (to - from), d, length * weights[i] / 12);
        }
    }
}

/// The local slowness of a direction in space: the time of a short line `d` at a point.
double line_time(const Model& model, Vec3 q, Vec3 d);
/// Its derivative by d: the slowness vector of the ray along d.
Vec3 line_slowness(const Model& model, Vec3 q, Vec3 d);

}  // namespace fermat
