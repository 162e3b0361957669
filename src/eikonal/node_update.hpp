#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "eikonal/factored_source.hpp"
#include "eikonal/stencil.hpp"
#include "model/model.hpp"

namespace fermat {

/// The nodes of a solve with a rim of two nodes that no wave reaches. Because of the rim, stencils
/// need not test for the end of the grid. A 2-D grid has no rim along y, and stencils never step
/// along y.
class RimmedShape {
  public:
    static constexpr int rim = 2;

    explicit RimmedShape(Shape shape) : shape_(shape), rim_y_(shape.y == 1 ? 0 : rim) {
        stride_[2] = 1;
        stride_[1] = shape.z + 2 * rim;
        stride_[0] = stride_[1] * (shape.y + 2 * rim_y_);
    }

    Shape shape() const { return shape_; }
    std::size_t count() const {
        return static_cast<std::size_t>(stride_[0]) * static_cast<std::size_t>(shape_.x + 2 * rim);
    }
    std::ptrdiff_t stride(int axis) const { return stride_[static_cast<std::size_t>(axis)]; }
    std::size_t offset(int i, int j, int k) const {
        return static_cast<std::size_t>((i + rim) * stride_[0] + (j + rim_y_) * stride_[1] + k +
                                        rim);
    }
    std::size_t offset(Index3 n) const { return offset(n.x, n.y, n.z); }

  private:
    Shape shape_;
    int rim_y_;
    std::array<std::ptrdiff_t, 3> stride_{};
};

/// Prefetches values[n]; n may lie outside the array. Always inlined, because GCC regards a
/// function that only prefetches as one without effect and removes its calls.
template <class T>
[[gnu::always_inline]] inline void prefetch_at(const T* values, std::ptrdiff_t n) {
    const auto address =
        reinterpret_cast<std::uintptr_t>(values) + static_cast<std::uintptr_t>(n) * sizeof(T);
    __builtin_prefetch(reinterpret_cast<const void*>(address));
}

/// What the stencil needs to know about a node besides the times round it, from tables per axis.
/// Lengths are in units of the smallest spacing and slownesses are relative to that at the source.
/// In these units their squares stay in the range of a float, whatever units the user has.
template <class Real>
class NodeGeometry {
  public:
    struct Axis {
        std::vector<Real> square;  ///< the part of r^2 along the axis
        std::vector<Real> moment;  ///< h x
        Real h2 = 0;
        Real inverse_spacing = 0;
    };

    NodeGeometry(const Model& model, const FactoredSource& source)
        : velocity_(model.velocity().data()),
          shape_(model.grid().shape),
          source_slowness_(static_cast<Real>(source.slowness)),
          unit_(smallest_spacing(model.grid())) {
        const Grid& grid = model.grid();
        const NodeFactor nodes = node_factor(grid, source);
        for (int d = 0; d < 3; ++d) {
            Axis& axis = axes_[static_cast<std::size_t>(d)];
            const double h = nodes.spacing[d];
            const double far2 = d == 0 ? nodes.far2 : 0;
            axis.h2 = static_cast<Real>(h * h);
            axis.inverse_spacing = static_cast<Real>(1 / h);
            for (int i = 0; i < grid.shape[d]; ++i) {
                const double x = nodes.coordinate(d, i);
                axis.square.push_back(static_cast<Real>(x * x + far2));
                axis.moment.push_back(static_cast<Real>(h * x));
            }
        }
    }

    const Axis& axis(int d) const { return axes_[static_cast<std::size_t>(d)]; }
    Real r2(Index3 n) const {
        return axes_[0].square[static_cast<std::size_t>(n.x)] +
               axes_[1].square[static_cast<std::size_t>(n.y)] +
               axes_[2].square[static_cast<std::size_t>(n.z)];
    }
    /// The square of the largest T/s0 that the caller wants, and of the largest spacing.
    Real until2(const FactoredSource& source) const {
        const double until = source.until / (source.slowness * unit_);
        return static_cast<Real>(until * until);
    }
    Real most_h2() const {
        return std::max({axes_[0].h2, shape_.y == 1 ? Real(0) : axes_[1].h2, axes_[2].h2});
    }
    /// v / v0: 0 in air.
    Real speed(Index3 n) const {
        return static_cast<Real>(velocity_[shape_.offset(n)]) * source_slowness_;
    }

  private:
    const float* velocity_;
    Shape shape_;
    Real source_slowness_;
    double unit_;
    std::array<Axis, 3> axes_;
};

/// read(axis, steps) returns tau some steps along an axis, or `unreached` or more if the stencil
/// must not use that node.
template <class Read, class Real>
concept TauReader = requires(Read read, int axis, int steps) {
    { read(axis, steps) } -> std::convertible_to<Real>;
};

/// tau of node n from its neighbours. `speed` is v / v0. `r`, the distance from the source, must
/// not be 0.
template <int Dim, int Order, class Real, TauReader<Real> Read>
inline Real update_node(const NodeGeometry<Real>& geometry, Index3 n, Real speed, Real r2, Real r,
                        Read read) {
    const Real inverse_r2 = 1 / r2;
    const Real f = 1 / (speed * r);
    const auto along = [&](auto d) {
        const auto& axis = geometry.axis(d);
        return axis_stencil(
            axis.moment[static_cast<std::size_t>(n[d])], axis.h2, inverse_r2,
            axis.inverse_spacing, [&](int steps) __attribute__((always_inline)) {
                return read(d, steps);
            });
    };
    constexpr std::integral_constant<int, 0> axis_x;
    constexpr std::integral_constant<int, 1> axis_y;
    constexpr std::integral_constant<int, 2> axis_z;
    if constexpr (Dim == 2) {
        return update_tau<Order>(f, inverse_r2, along(axis_x), along(axis_z));
    } else {
        return update_tau<Order>(f, inverse_r2, along(axis_x), along(axis_y), along(axis_z));
    }
}

/// Copies tau without its rim.
template <class Real>
void copy_from_rimmed(const RimmedShape& rimmed, const std::vector<Real>& from,
                      FieldView<Real> to) {
    const Shape shape = to.shape();
    for (int i = 0; i < shape.x; ++i) {
        for (int j = 0; j < shape.y; ++j) {
            std::copy_n(from.data() + rimmed.offset(i, j, 0), shape.z, &to(i, j, 0));
        }
    }
}

}  // namespace fermat
