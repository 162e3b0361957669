#pragma once

#include <filesystem>

#include "core/field.hpp"

namespace fermat {

/// Reads NumPy's `.npy`: float32 or float64 of either byte order, in C or Fortran order, of shape
/// (nx, ny, nz), or (nx, nz) in 2-D. Throws InputError.
Field<float> read_npy(const std::filesystem::path& path);

/// Writes float32 in C order; a field with one node along y has the shape (nx, nz).
void write_npy(const std::filesystem::path& path, FieldView<const float> values);

}  // namespace fermat
