#include "model/model.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "core/huge_pages.hpp"

namespace fermat {
namespace {

std::string node_name(const Grid& grid, std::size_t offset) {
    const auto nz = static_cast<std::size_t>(grid.shape.z);
    const auto ny = static_cast<std::size_t>(grid.shape.y);
    const std::size_t k = offset % nz;
    const std::size_t j = offset / nz % ny;
    const std::size_t i = offset / nz / ny;
    return grid.is_2d() ? fmt::format("({}, {})", i, k) : fmt::format("({}, {}, {})", i, j, k);
}

}  // namespace

Model::Model(Grid grid, Field<float> velocity) : grid_(grid), velocity_(std::move(velocity)) {
    validate(grid_);
    if (velocity_.shape() != grid_.shape) {
        throw InputError(fmt::format("velocity has shape {} (must be {} nodes, as the grid)",
                                     to_string(velocity_.shape()), to_string(grid_.shape)));
    }
    bool has_rock = false;
    for (std::size_t n = 0; n < velocity_.size(); ++n) {
        const float v = velocity_[n];
        if (!(v >= 0) || std::isinf(v)) {
            throw InputError(
                fmt::format("velocity at node {} is {} (must be finite and > 0, or 0 for air)",
                            node_name(grid_, n), v));
        }
        has_air_ |= v == 0;
        has_rock |= v > 0;
    }
    if (!has_rock) throw InputError("velocity is 0 at every node (all air; nothing can propagate)");
    gather_into_huge_pages(velocity_.data(), velocity_.size() * sizeof(float));
}

Model Model::copy() const { return Model(grid_, velocity_.copy()); }

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
