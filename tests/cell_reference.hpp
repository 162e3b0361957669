#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "model/model.hpp"

namespace fermat::test {

/// Times on the nodes of a model of cells by shortest paths through `parts` - 1 points on each cell
/// edge and the lattice that they make on faces (Moser 1991). A simple reference, late by about 1/5
/// of 1/parts^2.
inline Field<double> shortest_times(const Model& model, Vec3 source, int parts) {
    const Grid& grid = model.grid();
    const auto cells = model.cells()->velocity;
    const bool flat = grid.is_2d();
    const Shape shape{(grid.shape.x - 1) * parts + 1, flat ? 1 : (grid.shape.y - 1) * parts + 1,
                      (grid.shape.z - 1) * parts + 1};
    const Vec3 h = grid.spacing / parts;
    std::vector<Index3> rim;
    for (int i = 0; i <= parts; ++i) {
        for (int j = 0; j <= (flat ? 0 : parts); ++j) {
            for (int k = 0; k <= parts; ++k) {
                const bool inside = i % parts != 0 && k % parts != 0 && (flat || j % parts != 0);
                if (!inside) rim.push_back({i, j, k});
            }
        }
    }
    using Item = std::pair<double, std::size_t>;
    std::priority_queue<Item, std::vector<Item>, std::greater<>> queue;
    std::vector<double> time(shape.count(), INFINITY);
    const auto pass_through = [&](Index3 cell, Vec3 from, double start) {
        const double v = cells(cell);
        if (!(v > 0)) return;
        for (const Index3 step : rim) {
            const Index3 at{cell.x * parts + step.x, cell.y * parts + step.y,
                            cell.z * parts + step.z};
            const std::size_t number = shape.offset(at);
            if (!(start < time[number])) continue;
            const Vec3 to{at.x * h.x, at.y * h.y, at.z * h.z};
            const double t = start + distance(from, to) / v;
            if (!(t < time[number])) continue;
            time[number] = t;
            queue.push({t, number});
        }
    };
    Vec3 origin = source - grid.origin;
    if (flat) origin.y = 0;
    for_each_touched_cell(grid, source, [&](Index3 cell) { pass_through(cell, origin, 0); });
    while (!queue.empty()) {
        const auto [t, number] = queue.top();
        queue.pop();
        if (t > time[number]) continue;
        const auto n = static_cast<int>(number);
        const Index3 at{n / (shape.y * shape.z), n / shape.z % shape.y, n % shape.z};
        const Vec3 place{at.x * h.x, at.y * h.y, at.z * h.z};
        for_each_touched_cell(grid, grid.origin + place,
                              [&](Index3 cell) { pass_through(cell, place, t); });
    }
    Field<double> nodes(grid.shape);
    for (int i = 0; i < grid.shape.x; ++i) {
        for (int j = 0; j < grid.shape.y; ++j) {
            for (int k = 0; k < grid.shape.z; ++k) {
                nodes(i, j, k) = time[shape.offset({i * parts, j * parts, k * parts})];
            }
        }
    }
    return nodes;
}

/// Largest and mean relative difference.
struct Misfit {
    double largest = 0;
    double mean = 0;

    void add(double found, double wanted) {
        const double error = std::abs(found / wanted - 1);
        largest = std::max(largest, error);
        mean += (error - mean) / ++count_;
    }

  private:
    int count_ = 0;
};

}  // namespace fermat::test
