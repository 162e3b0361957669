#include "model/model_cuda.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "model/velocity_check.hpp"
#include "model/velocity_cuda.hpp"

namespace fermat {

CudaModel::CudaModel(Grid grid, FieldView<const float, Space::device> velocity)
    : grid_(grid), velocity_(velocity) {
    validate(grid_);
    if (velocity_.shape() != grid_.shape) {
        throw InputError(fmt::format("velocity has shape {} (must be {} nodes, as the grid)",
                                     to_string(velocity_.shape()), to_string(grid_.shape)));
    }
    require_on_device(velocity_.data());
    const VelocityCheck check = check_velocity(velocity_);
    require_velocity(grid_.shape, check);
    has_air_ = check.has_air;
}

Field<float> CudaModel::fetch(Index3 first, Shape shape) const {
    Field<float> values(shape);
    fetch_box(velocity_, first, values.view());
    return values;
}

Model CudaModel::fetch() const { return Model(grid_, fetch({}, grid_.shape)); }

}  // namespace fermat
