#pragma once

#include <cmath>
#include <concepts>

#include "core/field.hpp"
#include "core/grid.hpp"
#include "core/host_device.hpp"
#include "rays/segments.hpp"

namespace fermat {

/// Compiles a function once for all callers. A compiler may fuse a product and a sum in one copy of
/// a function and not in another copy; a ray would then depend on the caller.
#if defined(__CUDACC__)
#define FERMAT_HD_ONCE FERMAT_HD [[gnu::noinline]]
#else
#define FERMAT_HD_ONCE [[gnu::noinline, gnu::noclone]]
#endif

/// Slowness, infinite in air, and its gradient.
struct SlownessPoint {
    double slowness = INFINITY;
    Vec3 gradient;
};

/// A medium in which rays are bent. It is cheap to copy. The CPU and the GPU share the algorithm,
/// which is a template over the medium.
///
/// - slowness, sample: at a point; infinite in air
/// - clamp: the nearest point that a ray may visit
/// - clear: true unless air lies between the two points
/// - trial_time: time along a straight segment from `samples` points, to compare trial rays
/// - segment_time: time along a straight segment, as exactly as the medium allows
/// - flat: true in 2-D, where rays keep their y
/// - smooth: false where slowness jumps, so that its gradient does not help
template <class M>
concept BendingMedium = std::copy_constructible<M> &&
    requires(const M& medium, Vec3 p, int samples) {
    { medium.slowness(p) } -> std::same_as<double>;
    { medium.sample(p) } -> std::same_as<SlownessPoint>;
    { medium.clamp(p) } -> std::same_as<Vec3>;
    { medium.clear(p, p) } -> std::same_as<bool>;
    { medium.trial_time(p, p, samples) } -> std::same_as<double>;
    { medium.segment_time(p, p) } -> std::same_as<double>;
    { medium.flat() } -> std::same_as<bool>;
    { medium.smooth() } -> std::same_as<bool>;
};

/// Time along a straight segment by the midpoint rule on `samples` equal parts. Bending compares
/// trial rays by such times; the time of a finished ray is the sum of segment_time.
template <BendingMedium Medium>
FERMAT_HD_INLINE double sampled_time(const Medium& medium, Vec3 a, Vec3 b, int samples) {
    const Vec3 d = b - a;
    const double share = 1.0 / samples;
    double sum = 0;
    for (int i = 0; i < samples; ++i) sum += medium.slowness(a + ((i + 0.5) * share) * d);
    return norm(d) * share * sum;
}

/// Multilinear slowness between the nodes of a grid, which rays/integrate.hpp also integrates.
/// Nodes in air have slowness 0; in a cell with rock they are left out of the interpolation.
template <Space S>
class GridMedium {
  public:
    FERMAT_HD GridMedium(const Grid& grid, FieldView<const float, S> velocity,
                         FieldView<const float, S> slowness, bool has_air)
        : grid_(grid),
          velocity_(velocity),
          slowness_(slowness),
          inverse_{1 / grid.spacing_along(0), grid.is_2d() ? 0 : 1 / grid.spacing_along(1),
                   1 / grid.spacing_along(2)},
          far_corner_(grid.far_corner()),
          row_(grid.shape.z),
          slab_(static_cast<std::ptrdiff_t>(grid.shape.z) * grid.shape.y),
          next_row_(grid.is_2d() ? 0 : row_),
          last_{static_cast<double>(grid.shape.x - 2),
                grid.is_2d() ? 0 : static_cast<double>(grid.shape.y - 2),
                static_cast<double>(grid.shape.z - 2)},
          has_air_(has_air) {}

    FERMAT_HD bool flat() const { return grid_.is_2d(); }
    FERMAT_HD bool smooth() const { return true; }

    FERMAT_HD_INLINE Vec3 clamp(Vec3 p) const {
        for (int axis = 0; axis < 3; ++axis) {
            const double low = grid_.origin[axis];
            const double high = far_corner_[axis];
            p[axis] = p[axis] < low ? low : p[axis] > high ? high : p[axis];
        }
        return p;
    }

    FERMAT_HD_INLINE double slowness(Vec3 p) const { return slowness_there(place(to_index(p))); }

    FERMAT_HD_INLINE SlownessPoint sample(Vec3 p) const {
        const Place at = place(to_index(p));
        if (has_air_) return beside_air(at);
        const float* const s = slowness_.data() + at.offset;
        const float* const corner[4] = {s, s + next_row_, s + slab_, s + slab_ + next_row_};
        double value[4];
        double slope[4];
        for (int n = 0; n < 4; ++n) {
            slope[n] = static_cast<double>(corner[n][1]) - static_cast<double>(corner[n][0]);
            value[n] = static_cast<double>(corner[n][0]) + at.z * slope[n];
        }
        const double low = mix(value[0], value[1], at.y);
        const double high = mix(value[2], value[3], at.y);
        return {
            mix(low, high, at.x),
            {(high - low) * inverse_.x,
             mix(value[1] - value[0], value[3] - value[2], at.x) * inverse_.y,
             mix(mix(slope[0], slope[1], at.y), mix(slope[2], slope[3], at.y), at.x) * inverse_.z}};
    }

    /// True unless the line crosses a cell or a face whose corners all are air.
    FERMAT_HD_INLINE bool clear(Vec3 a, Vec3 b) const { return !has_air_ || clear_of_air(a, b); }

    FERMAT_HD_ONCE double trial_time(Vec3 a, Vec3 b, int samples) const {
        const double share = 1.0 / samples;
        const Vec3 first = to_index(a);
        const Vec3 step = share * (to_index(b) - first);
        double sum = 0;
        for (int i = 0; i < samples; ++i) sum += slowness_there(place(first + (i + 0.5) * step));
        return distance(a, b) * share * sum;
    }

    FERMAT_HD_ONCE double segment_time(Vec3 a, Vec3 b) const {
        return line_time(grid_, velocity_, a, b);
    }

  private:
    /// Offset of the first corner of a point's cell, and the point's fractions in the cell.
    struct Place {
        std::ptrdiff_t offset;
        double x;
        double y;
        double z;
    };

    FERMAT_HD_INLINE static double mix(double a, double b, double t) { return a + t * (b - a); }
    FERMAT_HD_INLINE static double line(const float* s, double t) {
        return mix(static_cast<double>(s[0]), static_cast<double>(s[1]), t);
    }
    /// Expects u >= 0. NaN gives the last cell.
    FERMAT_HD_INLINE static int lower(double u, double last) {
        return static_cast<int>(u < last ? u : last);
    }

    FERMAT_HD_INLINE Vec3 to_index(Vec3 p) const {
        const Vec3 way = grid_.from_origin(p);
        return {way.x * inverse_.x, way.y * inverse_.y, way.z * inverse_.z};
    }

    FERMAT_HD_INLINE Place place(Vec3 u) const {
        const int i = lower(u.x, last_.x);
        const int j = lower(u.y, last_.y);
        const int k = lower(u.z, last_.z);
        return {i * slab_ + j * row_ + k, u.x - i, u.y - j, u.z - k};
    }

    FERMAT_HD_INLINE double slowness_there(const Place& at) const {
        if (has_air_) return beside_air(at).slowness;
        const float* const s = slowness_.data() + at.offset;
        const double low = mix(line(s, at.z), line(s + next_row_, at.z), at.y);
        const double high = mix(line(s + slab_, at.z), line(s + slab_ + next_row_, at.z), at.y);
        return mix(low, high, at.x);
    }

    FERMAT_HD_ONCE bool clear_of_air(Vec3 a, Vec3 b) const {
        return grid_.is_2d() ? clear_of_air_in<2>(a, b) : clear_of_air_in<3>(a, b);
    }

    template <int Dim>
    FERMAT_HD bool clear_of_air_in(Vec3 a, Vec3 b) const {
        bool rock = true;
        for_each_piece_in<Dim>(grid_, a, b, [&](const Piece& piece) {
            const CellWeights<Dim> cell(velocity_, piece.cell);
            const Vec3 places[] = {piece.from, 0.5 * (piece.from + piece.to), piece.to};
            for (const Vec3 at : places) {
                double weights[CellWeights<Dim>::corners] = {};
                rock = rock && cell.add_weights(at, 1, weights);
            }
        });
        return rock;
    }

    FERMAT_HD_RARE SlownessPoint beside_air(const Place& at) const {
        const float* const s = slowness_.data() + at.offset;
        double sum = 0;
        double weights = 0;
        Vec3 sum_slope;
        Vec3 weight_slope;
        for (int n = 0; n < 8; ++n) {
            const bool i = n & 4;
            const bool j = n & 2;
            const bool k = n & 1;
            const double value = s[(i ? slab_ : 0) + (j ? next_row_ : 0) + (k ? 1 : 0)];
            if (value == 0) continue;
            const double wx = i ? at.x : 1 - at.x;
            const double wy = j ? at.y : 1 - at.y;
            const double wz = k ? at.z : 1 - at.z;
            const Vec3 slope{(i ? wy * wz : -wy * wz) * inverse_.x,
                             (j ? wx * wz : -wx * wz) * inverse_.y,
                             (k ? wx * wy : -wx * wy) * inverse_.z};
            sum += wx * wy * wz * value;
            weights += wx * wy * wz;
            sum_slope = sum_slope + value * slope;
            weight_slope = weight_slope + slope;
        }
        if (!(weights > 1e-9)) return {};
        const double slowness = sum / weights;
        return {slowness, (sum_slope - slowness * weight_slope) / weights};
    }

    Grid grid_;
    FieldView<const float, S> velocity_;
    FieldView<const float, S> slowness_;
    Vec3 inverse_;
    Vec3 far_corner_;
    std::ptrdiff_t row_;
    std::ptrdiff_t slab_;
    std::ptrdiff_t next_row_;  ///< offset to the next corner along y; 0 in 2-D
    Vec3 last_;                ///< index of the last cell along each axis
    bool has_air_;
};

}  // namespace fermat
