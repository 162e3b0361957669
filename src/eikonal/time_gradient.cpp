#include "eikonal/time_gradient.hpp"

#include "core/parallel.hpp"

namespace fermat {

template <class Real>
std::array<Field<Real>, 3> time_gradient(const BasicTimeField<Real>& field, int threads) {
    const Grid& grid = field.grid;
    const TimeFieldView<Real> view = field.view();
    std::array<Field<Real>, 3> gradient;
    for (int axis = 0; axis < 3; ++axis) {
        if (axis == 1 && grid.is_2d()) continue;
        gradient[static_cast<std::size_t>(axis)] = Field<Real>(grid.shape);
    }
    parallel_for(grid.shape.x, threads, [&](std::int64_t slab) {
        const int i = static_cast<int>(slab);
        for (int j = 0; j < grid.shape.y; ++j) {
            for (int k = 0; k < grid.shape.z; ++k) {
                const Index3 node{i, j, k};
                const Vec3 here = node_gradient(view, node);
                gradient[0](node) = static_cast<Real>(here.x);
                if (!grid.is_2d()) gradient[1](node) = static_cast<Real>(here.y);
                gradient[2](node) = static_cast<Real>(here.z);
            }
        }
    });
    return gradient;
}

template std::array<Field<float>, 3> time_gradient(const TimeField&, int);
template std::array<Field<double>, 3> time_gradient(const BasicTimeField<double>&, int);

}  // namespace fermat
