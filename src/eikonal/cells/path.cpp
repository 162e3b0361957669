#include "eikonal/cells/path.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "model/cell_medium.hpp"

namespace fermat {
namespace {

/// The part of a path round one of its inner points.
struct Bend {
    Vec3 before;
    Vec3 behind;
    double slowness[2];

    double time(Vec3 p) const {
        return slowness[0] * distance(before, p) + slowness[1] * distance(p, behind);
    }
};

/// One Newton step for p along an axis, inside [low, high], reduced until it shortens the time.
double moved(const Bend& bend, Vec3 p, int axis, double low, double high) {
    constexpr int most_cuts = 6;
    const double a = distance(bend.before, p);
    const double b = distance(p, bend.behind);
    const double start = p[axis];
    // The derivative does not exist if the point coincides with an end of the bend, so start
    // slightly inside.
    if (!(a > 0) || !(b > 0)) p[axis] = start + 0.01 * (0.5 * (low + high) - start);
    const double da = std::max(distance(bend.before, p), 1e-300);
    const double db = std::max(distance(p, bend.behind), 1e-300);
    const double x = (p[axis] - bend.before[axis]) / da;
    const double y = (p[axis] - bend.behind[axis]) / db;
    const double slope = bend.slowness[0] * x + bend.slowness[1] * y;
    const double curve = bend.slowness[0] * (1 - x * x) / da + bend.slowness[1] * (1 - y * y) / db;
    const double full = slope * slope > 0 && curve * (high - low) > std::abs(slope)
                            ? -slope / curve
                            : (slope > 0 ? low - high : high - low);
    Vec3 old = p;
    old[axis] = start;
    const double limit = bend.time(old);
    double step = full;
    const double from = p[axis];
    for (int cut = 0; cut < most_cuts; ++cut, step /= 4) {
        p[axis] = std::clamp(from + step, low, high);
        if (bend.time(p) < limit) return p[axis];
    }
    return start;
}

/// The number of axes along which two cells have the same index.
int shared_axes(Index3 a, Index3 b) { return (a.x == b.x) + (a.y == b.y) + (a.z == b.z); }

/// A piece may run along the boundary between cells. Of the cells as fast as its own, this chooses
/// the one that shares most with the cells of the pieces before and after it.
void choose_cells(const Grid& grid, FieldView<const float> velocity, CellPath& path) {
    for (std::size_t n = 0; n < path.cells.size(); ++n) {
        const auto shared = [&](Index3 cell) {
            return (n > 0 ? shared_axes(cell, path.cells[n - 1]) : 0) +
                   (n + 1 < path.cells.size() ? shared_axes(cell, path.cells[n + 1]) : 0);
        };
        Index3& own = path.cells[n];
        const float v = velocity(own);
        int most = shared(own);
        const Vec3 middle = 0.5 * (path.points[n] + path.points[n + 1]);
        for_each_touched_cell(grid, middle, [&](Index3 cell) {
            if (velocity(cell) != v || shared(cell) <= most) return;
            own = cell;
            most = shared(cell);
        });
    }
}

/// Where a line crosses a plane of the grid.
struct Crossing {
    double part;  ///< of the line that lies before it
    Vec3 point;
};

std::vector<Crossing> crossings_of(const Grid& grid, Vec3 from, Vec3 to) {
    std::vector<Crossing> crossings;
    const Vec3 first = grid.to_index(from);
    const Vec3 last = grid.to_index(to);
    for (int axis = 0; axis < 3; ++axis) {
        if (grid.shape[axis] == 1 || first[axis] == last[axis]) continue;
        const double low = std::min(first[axis], last[axis]);
        const double high = std::max(first[axis], last[axis]);
        for (double plane = std::floor(low) + 1; plane < high; plane += 1) {
            const double part = (plane - first[axis]) / (last[axis] - first[axis]);
            Vec3 point = from + part * (to - from);
            point[axis] = grid.coordinate(axis, plane);
            crossings.push_back({part, point});
        }
    }
    std::sort(crossings.begin(), crossings.end(),
              [](const Crossing& a, const Crossing& b) { return a.part < b.part; });
    crossings.push_back({1, to});
    return crossings;
}

}  // namespace

CellPath straight_path(const Grid& grid, FieldView<const float> velocity, Vec3 from, Vec3 to) {
    constexpr double shortest = 1e-9;  // of the line; planes that meet on it may differ by rounding
    CellPath path;
    path.points.push_back(from);
    double before = 0;
    for (const Crossing& crossing : crossings_of(grid, from, to)) {
        if (crossing.part - before < shortest) continue;
        const Vec3 middle = from + 0.5 * (before + crossing.part) * (to - from);
        Index3 cell = locate(grid, middle).cell;
        for_each_touched_cell(grid, middle, [&](Index3 other) {
            if (velocity(other) > velocity(cell)) cell = other;
        });
        if (!(velocity(cell) > 0)) return {};
        if (!path.cells.empty() && path.cells.back() == cell) {
            path.points.back() = crossing.point;
        } else {
            path.cells.push_back(cell);
            path.points.push_back(crossing.point);
        }
        before = crossing.part;
    }
    path.points.back() = to;
    return path;
}

double relax(const Grid& grid, FieldView<const float> velocity, CellPath& path) {
    constexpr int most_rounds = 30;
    const std::size_t inner = path.points.size() - 2;
    if (inner > 0) choose_cells(grid, velocity, path);
    std::vector<double> slowness;
    for (const Index3 cell : path.cells) {
        slowness.push_back(1 / static_cast<double>(velocity(cell)));
    }
    const auto time = [&] {
        double sum = 0;
        for (std::size_t n = 0; n < path.cells.size(); ++n) {
            sum += slowness[n] * distance(path.points[n], path.points[n + 1]);
        }
        return sum;
    };
    double last = time();
    for (int round = 0; round < most_rounds && inner > 0; ++round) {
        for (std::size_t n = 1; n <= inner; ++n) {
            const Index3 a = path.cells[n - 1];
            const Index3 b = path.cells[n];
            Vec3& p = path.points[n];
            for (int axis = 0; axis < 3; ++axis) {
                if (grid.shape[axis] == 1) continue;
                const int low = std::max(a[axis], b[axis]);
                const int high = std::min(a[axis], b[axis]) + 1;
                if (high <= low) continue;
                p[axis] =
                    moved({path.points[n - 1], path.points[n + 1], {slowness[n - 1], slowness[n]}},
                          p, axis, grid.coordinate(axis, low), grid.coordinate(axis, high));
            }
        }
        const double now = time();
        const bool settled = last - now < 1e-7 * now;
        last = now;
        if (settled) break;
    }
    return last;
}

}  // namespace fermat
