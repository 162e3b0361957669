#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace fermat {

/// Coefficients of cubic B-splines on a regular grid, as FMTOMO has them (Rawlinson & Urvoy 2006):
/// at a node the value is a sixth of both neighbours' coefficients and two thirds of its own, and
/// the outermost nodes lie beyond the model. Beyond the inner nodes the value at their edge holds.
template <std::size_t Axes>
struct SplineGrid {
    std::array<std::size_t, Axes> nodes{};
    std::array<double, Axes> step{};
    std::array<double, Axes> first{};
    std::vector<double> values{};  ///< the last axis is the fastest

    double low(std::size_t axis) const { return first[axis] + step[axis]; }
    double high(std::size_t axis) const {
        return first[axis] + step[axis] * static_cast<double>(nodes[axis] - 2);
    }

    double at(const std::array<double, Axes>& point) const {
        std::array<std::size_t, Axes> start{};
        std::array<std::array<double, 4>, Axes> weights{};
        for (std::size_t a = 0; a < Axes; ++a) {
            const double last = static_cast<double>(nodes[a] - 2);
            const double u = std::clamp((point[a] - first[a]) / step[a], 1.0, last);
            const double cell = std::min(std::floor(u + 1e-9), last - 1);
            start[a] = static_cast<std::size_t>(cell) - 1;
            weights[a] = weights_at(u - cell);
        }
        return sum(start, weights, 0, 0);
    }

  private:
    static std::array<double, 4> weights_at(double t) {
        const double rest = 1 - t;
        return {rest * rest * rest / 6, (3 * t * t * t - 6 * t * t + 4) / 6,
                (-3 * t * t * t + 3 * t * t + 3 * t + 1) / 6, t * t * t / 6};
    }
    double sum(const std::array<std::size_t, Axes>& start,
               const std::array<std::array<double, 4>, Axes>& weights, std::size_t axis,
               std::size_t before) const {
        double total = 0;
        for (std::size_t k = 0; k < 4; ++k) {
            const std::size_t at = before * nodes[axis] + start[axis] + k;
            total += weights[axis][k] *
                     (axis + 1 == Axes ? values[at] : sum(start, weights, axis + 1, at));
        }
        return total;
    }
};

}  // namespace fermat
