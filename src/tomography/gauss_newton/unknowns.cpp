#include "tomography/gauss_newton/unknowns.hpp"

#include <algorithm>
#include <cmath>

namespace fermat {
namespace {

int coarse_nodes(int nodes, int ratio) { return (nodes - 1 + ratio - 1) / ratio + 1; }

}  // namespace

Grid unknowns_grid(const Grid& fine, Index3 ratio) {
    Grid grid = fine;
    const auto set = [&](int axis, int& nodes) {
        nodes = coarse_nodes(fine.shape[axis], ratio[axis]);
        grid.spacing[axis] = fine.spacing[axis] * ratio[axis];
    };
    set(0, grid.shape.x);
    if (!fine.is_2d()) set(1, grid.shape.y);
    set(2, grid.shape.z);
    return grid;
}

Unknowns::Unknowns(const Model& model, Index3 ratio)
    : grid_(unknowns_grid(model.grid(), ratio)),
      sizes_(true_sizes(model, grid_)),
      samples_(model.given().shape()) {
    const double middle = model.cells() ? 0.5 : 0;
    for (int axis = 0; axis < 3; ++axis) {
        const bool flat = axis == 1 && model.grid().is_2d();
        const int last = std::max(grid_.shape[axis] - 2, 0);
        auto& between = axes_[static_cast<std::size_t>(axis)];
        for (int n = 0; n < samples_[axis]; ++n) {
            const double at = flat ? 0 : (n + middle) / ratio[axis];
            const int lower = std::min(static_cast<int>(at), last);
            between.push_back({lower, at - lower});
        }
    }
    // A first numbering that takes all nodes in finds those that rock depends on.
    numbers_.resize(grid_.node_count());
    for (std::size_t n = 0; n < numbers_.size(); ++n) numbers_[n] = static_cast<std::int32_t>(n);
    std::vector<std::uint8_t> reached(numbers_.size(), 0);
    const auto velocity = model.given();
    for (std::size_t n = 0; n < velocity.size(); ++n) {
        if (velocity[n] > 0) for_each_of_sample(n, [&](std::size_t u, double) { reached[u] = 1; });
    }
    for (std::size_t n = 0; n < numbers_.size(); ++n) {
        numbers_[n] = reached[n] ? static_cast<std::int32_t>(places_.size()) : -1;
        if (reached[n]) places_.push_back(static_cast<std::int64_t>(n));
    }
}

Index3 unknowns_ratio(const Model& model, std::size_t most) {
    const Grid& grid = model.grid();
    const Vec3 h = true_spacing(model);
    const double shortest = grid.is_2d() ? std::min(h.x, h.z) : std::min({h.x, h.y, h.z});
    Index3 ratio{1, 1, 1};
    for (int wide = 1;; ++wide) {
        std::size_t count = 1;
        bool coarsest = true;
        for (int axis = 0; axis < 3; ++axis) {
            if (axis == 1 && grid.is_2d()) continue;
            const auto wanted = std::lround(shortest * wide / h[axis]);
            ratio[axis] = static_cast<int>(std::clamp<long>(wanted, 1, grid.shape[axis] - 1));
            coarsest = coarsest && ratio[axis] == grid.shape[axis] - 1;
            count *= static_cast<std::size_t>(coarse_nodes(grid.shape[axis], ratio[axis]));
        }
        if (count <= most || coarsest) return ratio;
    }
}

}  // namespace fermat
