#include "tomography/hole/update.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "tomography/hole/update_formula.hpp"

namespace fermat {

Field<double> cells_to_nodes(const Grid& grid, FieldView<const double> cells, SmoothingSize box) {
    const Shape shape = grid.shape;
    Field<double> nodes(shape);
    for (int i = 0; i < shape.x; ++i) {
        for (int j = 0; j < shape.y; ++j) {
            for (int k = 0; k < shape.z; ++k) {
                nodes(i, j, k) = node_perturbation(cells, {i, j, k}, box);
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
            updated[n] = updated_velocity(v, perturbation[n], limits);
            most = std::max(most, relative_change(v, updated[n]));
        }
        largest[static_cast<std::size_t>(i)] = most;
    });
    const double most = *std::max_element(largest.begin(), largest.end());
    return {Model(model.grid(), std::move(updated)), most};
}

}  // namespace fermat
