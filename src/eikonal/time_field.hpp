#pragma once

#include <cmath>
#include <cstddef>
#include <limits>

#include "core/field.hpp"
#include "core/grid.hpp"
#include "core/host_device.hpp"
#include "eikonal/reached_corners.hpp"
#include "eikonal/source_factor.hpp"
#include "model/cell_medium.hpp"
#include "survey/point_source.hpp"

namespace fermat {

/// A solved first-arrival field in factored form:
///     T(x) = start_time + T0(x) tau(x)
/// T0 (source_factor.hpp) contains the singularity at the source, so tau is smooth and can be
/// interpolated and differentiated everywhere. tau is infinite where no wave arrives (in air and in
/// what air encloses) or where the caller did not want it (EikonalOptions::until).
template <class Real, Space S = Space::host>
struct TimeFieldView {
    Grid grid;
    SourceFactor factor;
    double start_time = 0;
    FieldView<const Real, S> tau;
    bool has_gaps = true;  ///< false if every node is known to be reached
    CellsView<S> cells{};  ///< of the model: the slope of T jumps where velocity does
};

template <class Real>
struct BasicTimeField {
    Grid grid;
    SourceFactor factor;
    double start_time = 0;
    Field<Real> tau;

    TimeFieldView<Real> view() const { return {grid, factor, start_time, tau.view()}; }
};
using TimeField = BasicTimeField<float>;

/// tau at a point of a cell with corners that the wave does not reach (reached_corners.hpp);
/// infinite where it reaches none.
template <class Real, Space S>
FERMAT_HD_RARE double tau_continued(const TimeFieldView<Real, S>& field, Vec3 point) {
    const Index3 cell = locate(field.grid, point).cell;
    const auto reached = [&](Index3 n) { return std::isfinite(field.tau(n)); };
    double sum = 0;
    double weights = 0;
    double plain = 0;
    double plain_weights = 0;
    double low = INFINITY;
    double high = 0;
    for_each_corner(field.grid, point, [&](Index3 node, double weight) {
        if (!(weight > 0)) return;
        const double tau = field.tau(node);
        if (std::isfinite(tau)) {
            plain += weight * tau;
            plain_weights += weight;
            low = tau < low ? tau : low;
            high = tau > high ? tau : high;
            return;
        }
        const bool continued =
            for_each_continued(field.grid, cell, node, reached, [&](Index3 from, double share) {
                sum += weight * share * static_cast<double>(field.tau(from));
            });
        weights += continued ? weight : 0;
    });
    if (!(plain_weights > least_corner_weight)) return INFINITY;
    const double tau = (plain + sum) / (plain_weights + weights);
    // A line through nodes right beside the source, in media of strong contrasts, may lead
    // anywhere.
    const bool sane = tau > 0.5 * low && tau < 2 * high;
    return sane ? tau : plain / plain_weights;
}

/// tau at a point, multilinear.
template <class Real, Space S>
FERMAT_HD double tau_at(const TimeFieldView<Real, S>& field, Vec3 point) {
    double sum = 0;
    double weights = 0;
    bool filled = true;
    for_each_corner(field.grid, point, [&](Index3 node, double weight) {
        const double tau = field.tau(node);
        if (!(weight > 0)) return;
        filled = filled && std::isfinite(tau);
        sum += weight * tau;
        weights += weight;
    });
    return filled ? sum / weights : tau_continued(field, point);
}

/// T at a point of the box: exact T0 times interpolated tau.
template <class Real, Space S>
FERMAT_HD double time_at(const TimeFieldView<Real, S>& field, Vec3 point) {
    const double t0 = field.factor.value(point);
    return t0 == 0 ? field.start_time : field.start_time + t0 * tau_at(field, point);
}

/// d(tau)/dx_axis at a node, in units of the spacing: centred where both neighbours are reached,
/// else one-sided, else 0.
template <class Real, Space S>
FERMAT_HD double tau_slope(const TimeFieldView<Real, S>& field, Index3 node, int axis) {
    const double here = field.tau(node);
    double below = here;
    double above = here;
    int sides = 0;
    Index3 next = node;
    if (node[axis] > 0) {
        --next[axis];
        const double tau = field.tau(next);
        if (std::isfinite(tau)) {
            below = tau;
            ++sides;
        }
        ++next[axis];
    }
    if (node[axis] + 1 < field.grid.shape[axis]) {
        ++next[axis];
        const double tau = field.tau(next);
        if (std::isfinite(tau)) {
            above = tau;
            ++sides;
        }
    }
    return sides == 2 ? (above - below) / 2 : above - below;
}

/// tau and its gradient at a point, the latter interpolated between the nodes' centred differences.
struct TauPoint {
    double tau = std::numeric_limits<double>::infinity();
    Vec3 gradient;
};

/// Finds tau and its gradient in a cell by one pass over the 32 nodes round it (12 in 2-D).
/// Differences are one-sided at the faces of the grid and beside a jump of velocity, because T has
/// another slope beyond it. Returns false if the wave does not reach one of the nodes.
template <int Dim, class Real, Space S>
FERMAT_HD_INLINE bool tau_inside(const TimeFieldView<Real, S>& field, const CellPoint& at,
                                 TauPoint& out) {
    using Offset = std::ptrdiff_t;
    const Shape n = field.grid.shape;
    const Offset row = n.z;
    const Offset slab = row * n.y;
    // For the lower and the upper node of the cell along each axis: the step to the neighbour
    // outside the cell, and the factor of the difference between both neighbours.
    const bool smooth = !field.cells.exist() || !field.cells.jump_round(at.cell);
    const bool inside_x[2] = {smooth && at.cell.x > 0, smooth && at.cell.x + 2 < n.x};
    const bool inside_y[2] = {smooth && at.cell.y > 0, smooth && at.cell.y + 2 < n.y};
    const bool inside_z[2] = {smooth && at.cell.z > 0, smooth && at.cell.z + 2 < n.z};
    const Offset out_x[2] = {inside_x[0] ? -slab : 0, inside_x[1] ? slab : 0};
    const Offset out_y[2] = {inside_y[0] ? -row : 0, inside_y[1] ? row : 0};
    const Offset out_z[2] = {inside_z[0] ? -1 : 0, inside_z[1] ? 1 : 0};
    const auto share = [](bool both) { return both ? 0.5 : 1.0; };
    const double share_x[2] = {share(inside_x[0]), share(inside_x[1])};
    const double share_y[2] = {share(inside_y[0]), share(inside_y[1])};
    const double share_z[2] = {share(inside_z[0]), share(inside_z[1])};
    const Real* const t = field.tau.data() + n.offset(at.cell);
    const double wx[2] = {1 - at.fraction.x, at.fraction.x};
    const double wy[2] = {1 - at.fraction.y, at.fraction.y};
    const double wz[2] = {1 - at.fraction.z, at.fraction.z};
    double tau = 0;
    double sx = 0;
    double sy = 0;
    double sz = 0;
    for (int i = 0; i < 2; ++i) {
        const Offset above_x = i ? out_x[1] : slab;
        const Offset below_x = i ? -slab : out_x[0];
        for (int j = 0; j < (Dim == 2 ? 1 : 2); ++j) {
            const Real* const line = t + i * slab + j * row;
            const double w = Dim == 2 ? wx[i] : wx[i] * wy[j];
            tau += w * (wz[0] * line[0] + wz[1] * line[1]);
            sx += w * share_x[i] *
                  (wz[0] * (line[above_x] - line[below_x]) +
                   wz[1] * (line[above_x + 1] - line[below_x + 1]));
            if (Dim == 3) {
                const Offset above_y = j ? out_y[1] : row;
                const Offset below_y = j ? -row : out_y[0];
                sy += w * share_y[j] *
                      (wz[0] * (line[above_y] - line[below_y]) +
                       wz[1] * (line[above_y + 1] - line[below_y + 1]));
            }
            sz += w * (wz[0] * share_z[0] * (line[1] - line[out_z[0]]) +
                       wz[1] * share_z[1] * (line[1 + out_z[1]] - line[0]));
        }
    }
    const Vec3 h = field.grid.spacing;
    out = {tau, {sx * (1 / h.x), Dim == 3 ? sy * (1 / h.y) : 0, sz * (1 / h.z)}};
    // An unreached node makes these sums infinite or NaN.
    return std::isfinite(tau + sx + sy + sz);
}

/// Finds tau and its gradient at a point of a cell beside unreached nodes; the gradient is the mean
/// of those corners that the wave reaches.
template <class Real, Space S>
FERMAT_HD_RARE TauPoint tau_beside_gaps(const TimeFieldView<Real, S>& field, Vec3 point) {
    double weights = 0;
    Vec3 slope;
    for_each_corner(field.grid, point, [&](Index3 node, double weight) {
        if (!(weight > 0) || !std::isfinite(field.tau(node))) return;
        weights += weight;
        slope.x += weight * tau_slope(field, node, 0);
        if (!field.grid.is_2d()) slope.y += weight * tau_slope(field, node, 1);
        slope.z += weight * tau_slope(field, node, 2);
    });
    if (!(weights > least_corner_weight)) return {};
    const Vec3 h = field.grid.spacing;
    slope = slope / weights;
    return {tau_at(field, point), {slope.x / h.x, slope.y / h.y, slope.z / h.z}};
}

template <int Dim, class Real, Space S>
FERMAT_HD_INLINE TauPoint tau_point(const TimeFieldView<Real, S>& field, Vec3 point) {
    TauPoint out;
    const bool found = tau_inside<Dim>(field, locate_in<Dim>(field.grid, point), out);
    return found ? out : tau_beside_gaps(field, point);
}

/// Prefetches what tau_point reads at a point.
template <class Real, Space S>
[[gnu::always_inline]] FERMAT_HD inline void prefetch_tau(const TimeFieldView<Real, S>& field,
                                                          Vec3 point) {
#if !defined(__CUDA_ARCH__)
    // A small field lies in the cache of the processor anyway.
    constexpr std::size_t cached = std::size_t{1} << 17;
    if (field.tau.size() <= cached) return;
    const Index3 cell = locate(field.grid, point).cell;
    const Shape n = field.grid.shape;
    const int x_end = cell.x + 2 < n.x ? cell.x + 2 : n.x - 1;
    const int y_end = cell.y + 2 < n.y ? cell.y + 2 : n.y - 1;
    for (int i = cell.x > 0 ? cell.x - 1 : 0; i <= x_end; ++i) {
        for (int j = cell.y > 0 ? cell.y - 1 : 0; j <= y_end; ++j) {
            __builtin_prefetch(field.tau.data() + n.offset(i, j, cell.z));
        }
    }
#endif
}

/// T and its gradient T0 grad(tau) + tau grad(T0) at a point. The gradient is zero at the source
/// and where no wave arrives.
struct TimePoint {
    double time = std::numeric_limits<double>::infinity();
    Vec3 gradient;
};

/// T and its gradient at a point where tau and its gradient are known.
template <class Real, Space S>
FERMAT_HD_INLINE TimePoint time_point(const TimeFieldView<Real, S>& field, Vec3 point,
                                      const TauPoint& at) {
    const double r = field.factor.radius(point);
    if (r == 0) return {field.start_time, {}};
    if (!std::isfinite(at.tau)) return {};
    const double s0 = field.factor.slowness;
    return {field.start_time + s0 * r * at.tau,
            s0 * (r * at.gradient + (at.tau * (1 / r)) * field.factor.from_source(point))};
}
template <int Dim, class Real, Space S>
FERMAT_HD_INLINE TimePoint time_point(const TimeFieldView<Real, S>& field, Vec3 point) {
    return time_point(field, point, tau_point<Dim>(field, point));
}

template <class Real, Space S>
FERMAT_HD Vec3 gradient_at(const TimeFieldView<Real, S>& field, Vec3 point) {
    return field.grid.is_2d() ? time_point<2>(field, point).gradient
                              : time_point<3>(field, point).gradient;
}

template <class Real>
double time_at(const BasicTimeField<Real>& field, Vec3 point) {
    return time_at(field.view(), point);
}

/// T at node k of a line of nodes whose tau is given.
template <class Real>
FERMAT_HD_INLINE Real node_time(const FactorLine& line, double start_time, int k, Real tau) {
    return static_cast<Real>(start_time + line.value(k) * static_cast<double>(tau));
}

/// Writes T on the nodes.
template <class Real>
void write_times(const BasicTimeField<Real>& field, FieldView<Real> times, int threads = 1);
/// Returns T on the nodes, in the memory that held tau.
template <class Real>
Field<Real> to_times(BasicTimeField<Real>&& field, int threads = 1);

}  // namespace fermat
