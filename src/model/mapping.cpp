#include "model/mapping.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/error.hpp"
#include "model/mappings/systems.hpp"

namespace fermat {
namespace {

/// Beyond it, squares of slownesses leave single precision.
constexpr double most_jump = 1e6;

void require_jumps(const Grid& grid, const std::vector<double>& jumps) {
    if (!jumps.empty() && static_cast<int>(jumps.size()) != grid.shape.z) {
        throw InputError(fmt::format("jumps has {} numbers (must have {}, one per row along z)",
                                     jumps.size(), grid.shape.z));
    }
    for (std::size_t n = 0; n < jumps.size(); ++n) {
        if (jumps[n] >= 1 / most_jump && jumps[n] <= most_jump) continue;
        throw InputError(fmt::format(
            "number {} of jumps is {:g} (must be positive, from {:g} to {:g}: velocity below over "
            "velocity above)",
            n, jumps[n], 1 / most_jump, most_jump));
    }
}

}  // namespace

void Mapping::line(const Grid& grid, int i, int j, std::span<MappedPoint> out) const {
    for (std::size_t k = 0; k < out.size(); ++k) {
        const Index3 n{i, j, static_cast<int>(k)};
        out[k] = {place(grid.position(n)), node_jacobian(grid, n)};
    }
}

std::shared_ptr<const Mapping> make_mapping(const Grid& grid, CoordinateNumbers numbers) {
    require_jumps(grid, numbers.jumps);
    switch (numbers.system) {
#define FERMAT_SYSTEM(name) \
    case Coordinates::name: \
        return name##_mapping(grid, std::move(numbers));
#include "model/mappings/systems.def"
    }
    return cartesian_mapping(grid, std::move(numbers));
}

}  // namespace fermat
