#pragma once

#include <memory>
#include <utility>

#include "model/mapping.hpp"

namespace fermat {

// Each system of coordinates is a file of this folder. Its maker throws InputError for numbers that
// make no usable grid.

#define FERMAT_SYSTEM(name) \
    std::shared_ptr<const Mapping> name##_mapping(const Grid& grid, CoordinateNumbers numbers);
#include "model/mappings/systems.def"

/// Beyond it, squares of lengths or slownesses leave single precision or lose all digits: a radius
/// or the longest step, in shortest steps.
inline constexpr double most_steps = 1e9;

}  // namespace fermat
