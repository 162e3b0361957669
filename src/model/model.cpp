#include "model/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/error.hpp"
#include "core/huge_pages.hpp"
#include "model/velocity_check.hpp"

namespace fermat {

Model::Model(Grid grid, FieldView<const float> velocity, std::shared_ptr<const void> owner)
    : grid_(grid), velocity_(velocity), owner_(std::move(owner)) {
    validate(grid_);
    if (velocity_.shape() != grid_.shape) {
        throw InputError(fmt::format("velocity has shape {} (must be {} nodes, as the grid)",
                                     to_string(velocity_.shape()), to_string(grid_.shape)));
    }
    const VelocityCheck check = check_velocity(velocity_);
    require_velocity(grid_, check);
    has_air_ = check.has_air;
    gather_into_huge_pages(velocity_.data(), velocity_.size() * sizeof(float));
}

Model::Model(Grid grid, const std::shared_ptr<const Field<float>>& velocity)
    : Model(grid, velocity->view(), velocity) {}

Model::Model(Grid grid, Field<float> velocity)
    : Model(grid, std::make_shared<const Field<float>>(std::move(velocity))) {}

Model Model::copy() const {
    Field<float> values(velocity_.shape());
    std::copy(velocity_.begin(), velocity_.end(), values.begin());
    return Model(grid_, std::move(values));
}

double slowness_at(const Model& model, Vec3 point) {
    double sum = 0;
    double weights = 0;
    for_each_corner(model.grid(), point, [&](Index3 node, double weight) {
        const double v = model.velocity()(node);
        if (weight > 0 && v > 0) {
            sum += weight / v;
            weights += weight;
        }
    });
    return weights > 0 ? sum / weights : std::numeric_limits<double>::infinity();
}

bool in_air(const Model& model, Vec3 point) { return std::isinf(slowness_at(model, point)); }

}  // namespace fermat
