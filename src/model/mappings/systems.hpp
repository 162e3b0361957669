#pragma once

#include <memory>
#include <utility>

#include "model/mapping.hpp"

namespace fermat {

// Each system of coordinates is a file of this folder. Its maker throws InputError for numbers that
// make no usable grid.

std::shared_ptr<const Mapping> cartesian_mapping(const Grid& grid, CoordinateNumbers numbers);
std::shared_ptr<const Mapping> graded_mapping(const Grid& grid, CoordinateNumbers numbers);
std::shared_ptr<const Mapping> spherical_mapping(const Grid& grid, CoordinateNumbers numbers);
std::shared_ptr<const Mapping> terrain_mapping(const Grid& grid, CoordinateNumbers numbers);

/// Beyond it, squares of lengths or slownesses leave single precision or lose all digits: a radius
/// or the longest step, in shortest steps.
inline constexpr double most_steps = 1e9;

}  // namespace fermat
