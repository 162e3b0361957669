#include "tomography/update.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/parallel.hpp"

namespace fermat {
namespace {

/// Cells along one axis that a node takes its value from: [first, last].
struct CellRange {
    int first;
    int last;
};

CellRange cells_of_node(int node, int cells, int box) {
    const int last = std::min(node, cells - 1);
    return {box % 2 == 0 ? last : std::max(0, node - 1), last};
}

}  // namespace

Field<double> cells_to_nodes(const Grid& grid, FieldView<const double> cells, SmoothingSize box) {
    const Shape shape = grid.shape;
    const Shape count = cells.shape();
    Field<double> nodes(shape);
    for (int i = 0; i < shape.x; ++i) {
        const CellRange x = cells_of_node(i, count.x, box.x);
        for (int j = 0; j < shape.y; ++j) {
            const CellRange y = cells_of_node(j, count.y, box.y);
            for (int k = 0; k < shape.z; ++k) {
                const CellRange z = cells_of_node(k, count.z, box.z);
                double sum = 0;
                int touched = 0;
                for (int a = x.first; a <= x.last; ++a) {
                    for (int b = y.first; b <= y.last; ++b) {
                        for (int c = z.first; c <= z.last; ++c) {
                            const double value = cells(a, b, c);
                            sum += value;
                            touched += value != 0;
                        }
                    }
                }
                nodes(i, j, k) = touched > 0 ? sum / touched : 0;
            }
        }
    }
    return nodes;
}

Field<std::uint8_t> rock_mask(const Model& model) {
    if (!model.has_air()) return {};
    const auto velocity = model.velocity();
    Field<std::uint8_t> mask(velocity.shape());
    std::transform(velocity.begin(), velocity.end(), mask.begin(),
                   [](float v) { return static_cast<std::uint8_t>(v > 0); });
    return mask;
}

Update apply_perturbation(const Model& model, FieldView<const double> perturbation,
                          const UpdateLimits& limits, int threads) {
    const auto velocity = model.velocity();
    Field<float> updated(velocity.shape());
    const auto slab = static_cast<std::int64_t>(velocity.size()) / velocity.shape().x;
    std::vector<double> largest(static_cast<std::size_t>(velocity.shape().x), 0);
    parallel_for(velocity.shape().x, threads, [&](std::int64_t i) {
        double most = 0;
        for (std::int64_t at = i * slab; at < (i + 1) * slab; ++at) {
            const auto n = static_cast<std::size_t>(at);
            const double v = velocity[n];
            if (v == 0) {
                updated[n] = 0;
                continue;
            }
            const double slowness = 1 / v + limits.step * perturbation[n];
            const double low = v * (1 - limits.max_change);
            const double high = v * (1 + limits.max_change);
            double next = slowness * high > 1 ? std::max(low, 1 / slowness) : high;
            next = std::clamp(next, limits.min_velocity, limits.max_velocity);
            updated[n] = static_cast<float>(next);
            most = std::max(most, std::abs(static_cast<double>(updated[n]) / v - 1));
        }
        largest[static_cast<std::size_t>(i)] = most;
    });
    const double most = *std::max_element(largest.begin(), largest.end());
    return {Model(model.grid(), std::move(updated)), most};
}

}  // namespace fermat
