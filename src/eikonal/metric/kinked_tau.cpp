#include "eikonal/metric/kinked_tau.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fermat {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

double second_difference(double a, double b, double c) { return (a - b) + (c - b); }

/// Which of the six nodes of a line along an axis exist: those of the grid, and along z those that
/// no row of jumps separates from the cell.
struct LineReach {
    int before = 0;  ///< nodes in front of the cell, at most 2
    int behind = 0;
};

LineReach reach_along(const MetricField& field, int axis, int cell) {
    const int last = field.grid().shape[axis] - 1;
    LineReach reach{std::min(2, cell), std::min(2, last - cell - 1)};
    if (axis != 2) return reach;
    const auto& jumps = field.model.coordinates().jumps;
    const auto jump_at = [&](int row) { return jumps[static_cast<std::size_t>(row)] != 1; };
    for (int n = 0; n < reach.before; ++n) {
        if (jump_at(cell - n)) reach.before = n;
    }
    for (int n = 0; n < reach.behind; ++n) {
        if (jump_at(cell + 1 + n)) reach.behind = n;
    }
    return reach;
}

/// The curvature of one side that continues into the cell: of the three nodes that end beside the
/// cell, or (two of them) none.
double continued(double far, double near, double here, double part) {
    const double outer = second_difference(far, near, here);
    const double bend = std::isnan(outer) ? 0 : 0.5 * outer * part * (1 + part);
    return here + part * (here - near) + bend;
}

}  // namespace

double kinked_value(const double (&nodes)[6], double part) {
    const auto [a2, a1, a, b, b1, b2] = nodes;
    const double straight = a + part * (b - a);
    const double low = second_difference(a1, a, b);  // not a number beside missing nodes
    const double high = second_difference(a, b, b1);
    const double outer_low = second_difference(a2, a1, a);
    const double outer_high = second_difference(b, b1, b2);
    const auto known = [](double d) { return std::isnan(d) ? 0 : d; };
    // Four nodes do not tell a kink from a curve.
    if (low + high < 0 && !(std::isnan(outer_low) && std::isnan(outer_high))) {
        const double smooth = std::abs(known(outer_low)) + std::abs(known(outer_high));
        const bool kink = -(low + high) > 2 * smooth && continued(a2, a1, a, 1) > b &&
                          continued(b2, b1, b, 1) > a;
        if (kink) {
            const double from_low = continued(a2, a1, a, part);
            const double from_high = continued(b2, b1, b, 1 - part);
            return std::max(straight, std::min(from_low, from_high));
        }
    }
    // The smaller curvature counts where both sides differ: a kink may lie in the cell beside.
    double bend = 0;
    if (std::isnan(low) || std::isnan(high)) {
        const double here = std::isnan(low) ? high : low;
        const double outer = std::isnan(low) ? outer_high : outer_low;
        if (!std::isnan(here)) {
            bend = here;
            if (!std::isnan(outer) && std::abs(outer) < std::abs(here)) bend = outer;
            if (std::isnan(outer) && here < 0) bend = 0;
        }
    } else {
        constexpr double alike = 4;
        const bool agree = low * high > 0 && std::abs(low) < alike * std::abs(high) &&
                           std::abs(high) < alike * std::abs(low);
        bend = agree ? ((2 - part) * low + (1 + part) * high) / 3
                     : (std::abs(low) < std::abs(high) ? low : high);
    }
    return straight - 0.5 * part * (1 - part) * bend;
}

double kinked_tau(const MetricField& field, Vec3 q) {
    const Grid& grid = field.grid();
    const CellPoint at = locate(grid, q);
    const bool flat = grid.is_2d();
    const LineReach x = reach_along(field, 0, at.cell.x);
    const LineReach y = flat ? LineReach{} : reach_along(field, 1, at.cell.y);
    const LineReach z = reach_along(field, 2, at.cell.z);
    const auto line = [](const LineReach& reach, double part, const auto& value) {
        double nodes[6];
        for (int n = 0; n < 6; ++n) {
            const bool exists = n >= 2 - reach.before && n < 4 + reach.behind;
            const double v = exists ? value(n - 2) : missing;
            nodes[n] = std::isfinite(v) ? v : missing;
        }
        return kinked_value(nodes, part);
    };
    const double tau = line(z, at.fraction.z, [&](int k) {
        return line(x, at.fraction.x, [&](int i) {
            const Index3 n{at.cell.x + i, at.cell.y, at.cell.z + k};
            if (flat) return static_cast<double>(field.tau(n));
            return line(y, at.fraction.y, [&](int j) {
                return static_cast<double>(field.tau({n.x, n.y + j, n.z}));
            });
        });
    });
    return std::isnan(tau) ? std::numeric_limits<double>::infinity() : tau;
}

}  // namespace fermat
