#include "location/layered.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fermat {

Model radial_model(const Model& layered, double distance) {
    const Grid& grid = layered.grid();
    const double step = std::min(grid.spacing_along(0), grid.spacing_along(1));
    const int nodes = std::max(3, static_cast<int>(std::ceil(distance / step)) + 2);
    const Grid radial{
        {nodes, 1, grid.shape.z}, {0, 0, grid.coordinate(2, 0)}, {step, 1, grid.spacing_along(2)}};
    const bool cells = layered.cells() != nullptr;
    const Shape shape = cells ? radial.cell_shape() : radial.shape;
    Field<float> velocity(shape);
    const float* const profile = layered.given().data();
    for (int i = 0; i < shape.x; ++i) {
        std::copy(profile, profile + shape.z, velocity.data() + shape.offset(i, 0, 0));
    }
    return cells ? Model::of_cells(radial, std::move(velocity))
                 : Model(radial, std::move(velocity));
}

}  // namespace fermat
