#include "model/model_cuda.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/error.hpp"
#include "model/velocity_check.hpp"
#include "model/velocity_cuda.hpp"

namespace fermat {

CudaModel::CudaModel(Grid grid, FieldView<const float, Space::device> velocity)
    : grid_(grid), velocity_(velocity) {
    require_shape();
    require_on_device(velocity_.data());
    wait_for_writers();
    fetch({});
}

CudaModel::CudaModel(Grid grid, FieldView<const float, Space::device> values, Given given)
    : grid_(grid), velocity_(values) {
    require_shape();
    require_on_device(values.data());
    if (given == Given::velocity) return;
    slowness_ = values.data();
    own_ = memory_in_stream(values.size());
    velocity_ = {own_.get(), grid_.shape};
}

void CudaModel::require_shape() const {
    validate(grid_);
    if (velocity_.shape() != grid_.shape) {
        throw InputError(fmt::format("velocity has shape {} (must be {} nodes, as the grid)",
                                     to_string(velocity_.shape()), to_string(grid_.shape)));
    }
}

std::vector<Field<float>> CudaModel::fetch(std::span<const NodeBox> boxes) const {
    std::vector<Field<float>> found;
    for (const NodeBox& box : boxes) found.emplace_back(box.shape);
    const MediumCheck check =
        look_at({velocity_, slowness_, own_.get(), !checked_}, boxes, std::span(found));
    if (checked_) return found;
    require_slowness(grid_.shape, check);
    require_velocity(grid_.shape, check.velocity);
    has_air_ = check.velocity.has_air;
    checked_ = true;
    slowness_ = nullptr;
    return found;
}

Field<float> CudaModel::fetch(Index3 first, Shape shape) const {
    const NodeBox box{first, shape};
    return std::move(fetch(std::span(&box, 1)).front());
}

Model CudaModel::fetch() const { return Model(grid_, fetch({}, grid_.shape)); }

}  // namespace fermat
