#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "model/mappings/systems.hpp"

namespace fermat {
namespace {

/// The piecewise linear function through the nodes of one axis.
struct GradedAxis {
    double origin = 0;
    double spacing = 1;
    std::vector<double> at;

    bool exists() const { return at.size() > 1; }
    double value(double q) const {
        const auto [n, part] = cell((q - origin) / spacing);
        return at[n] + part * (at[n + 1] - at[n]);
    }
    /// Of the cell.
    double slope(double q) const {
        const auto [n, part] = cell((q - origin) / spacing);
        return (at[n + 1] - at[n]) / spacing;
    }
    /// Centred at a node; one-sided and of second order at the ends.
    double slope_at(std::size_t n) const {
        const std::size_t last = at.size() - 1;
        if (last == 1) return (at[1] - at[0]) / spacing;
        if (n == 0) return (-1.5 * at[0] + 2 * at[1] - 0.5 * at[2]) / spacing;
        if (n == last) return (1.5 * at[n] - 2 * at[n - 1] + 0.5 * at[n - 2]) / spacing;
        return 0.5 * (at[n + 1] - at[n - 1]) / spacing;
    }
    double inverse(double value) const {
        const auto above = std::upper_bound(at.begin() + 1, at.end() - 1, value);
        const auto n = static_cast<std::size_t>(above - at.begin() - 1);
        return origin + spacing * (static_cast<double>(n) + (value - at[n]) / (at[n + 1] - at[n]));
    }

  private:
    struct Cell {
        std::size_t n;
        double part;
    };
    Cell cell(double index) const {
        const double last = static_cast<double>(at.size() - 2);
        const auto n = static_cast<std::size_t>(std::clamp(std::floor(index), 0.0, last));
        return {n, index - static_cast<double>(n)};
    }
};

class GradedMapping final : public Mapping {
  public:
    GradedMapping(const Grid& grid, CoordinateNumbers given) : Mapping(std::move(given)) {
        for (int axis = 0; axis < 3; ++axis) {
            const auto a = static_cast<std::size_t>(axis);
            axes_[a] = {grid.origin[axis], grid.spacing[axis], numbers().axes[a]};
        }
    }
    Vec3 place(Vec3 q) const override {
        return each(q, [](const GradedAxis& axis, double c) { return axis.value(c); });
    }
    Mat3 jacobian(Vec3 q) const override {
        Mat3 j = Mat3::identity();
        for (int axis = 0; axis < 3; ++axis) {
            const GradedAxis& a = axes_[static_cast<std::size_t>(axis)];
            if (a.exists()) j(axis, axis) = a.slope(q[axis]);
        }
        return j;
    }
    Mat3 node_jacobian(const Grid&, Index3 n) const override {
        Mat3 j = Mat3::identity();
        for (int axis = 0; axis < 3; ++axis) {
            const GradedAxis& a = axes_[static_cast<std::size_t>(axis)];
            if (a.exists()) j(axis, axis) = a.slope_at(static_cast<std::size_t>(n[axis]));
        }
        return j;
    }
    void line(const Grid& grid, int i, int j, std::span<MappedPoint> out) const override {
        MappedPoint here{grid.position({i, j, 0}), node_jacobian(grid, {i, j, 0})};
        if (axes_[0].exists()) here.place.x = axes_[0].at[static_cast<std::size_t>(i)];
        if (axes_[1].exists()) here.place.y = axes_[1].at[static_cast<std::size_t>(j)];
        for (std::size_t k = 0; k < out.size(); ++k) {
            if (axes_[2].exists()) {
                here.place.z = axes_[2].at[k];
                here.jacobian(2, 2) = axes_[2].slope_at(k);
            }
            out[k] = here;
        }
    }
    Vec3 to_grid(Vec3 user) const override {
        return each(user, [](const GradedAxis& axis, double c) { return axis.inverse(c); });
    }
    Vec3 to_user(Vec3 q) const override { return place(q); }

  private:
    template <class Of>
    Vec3 each(Vec3 q, Of of) const {
        for (int axis = 0; axis < 3; ++axis) {
            const GradedAxis& a = axes_[static_cast<std::size_t>(axis)];
            if (a.exists()) q[axis] = of(a, q[axis]);
        }
        return q;
    }
    std::array<GradedAxis, 3> axes_;
};

constexpr char axis_names[] = {'x', 'y', 'z'};

void require_axes(const Grid& grid, const std::array<std::vector<double>, 3>& axes) {
    double shortest = std::numeric_limits<double>::infinity();
    double longest = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const auto& at = axes[static_cast<std::size_t>(axis)];
        const int nodes = grid.shape[axis];
        if (grid.is_2d() && axis == 1) continue;
        if (static_cast<int>(at.size()) != nodes) {
            throw InputError(fmt::format("axis {} has {} coordinates (must have {}, one per node)",
                                         axis_names[axis], at.size(), nodes));
        }
        for (std::size_t n = 0; n < at.size(); ++n) {
            if (std::isfinite(at[n]) && (n == 0 || at[n] > at[n - 1])) continue;
            throw InputError(fmt::format(
                "coordinate {} of axis {} is {:g} (must be finite and exceed the one before it)", n,
                axis_names[axis], at[n]));
        }
        for (std::size_t n = 1; n < at.size(); ++n) {
            shortest = std::min(shortest, at[n] - at[n - 1]);
            longest = std::max(longest, at[n] - at[n - 1]);
        }
    }
    if (longest > most_steps * shortest) {
        throw InputError(fmt::format(
            "the steps of the axes go from {:g} to {:g} (the longest must be at most {:.0e} times "
            "the shortest)",
            shortest, longest, most_steps));
    }
}

}  // namespace

std::shared_ptr<const Mapping> graded_mapping(const Grid& grid, CoordinateNumbers numbers) {
    require_axes(grid, numbers.axes);
    return std::make_shared<const GradedMapping>(grid, std::move(numbers));
}

}  // namespace fermat
