#pragma once

#include <filesystem>

#include "model/model.hpp"

namespace fermat {

/// Writes a model as a table, one row per node, or per cell at its middle. `.csv` has the columns
/// x,y,z,velocity (no y in 2-D), with 0 in air, and read_model reads it back. `.xyz` has the same
/// numbers with blanks between and no header, and NaN in air, as programs that make maps of points
/// read them.
void write_model_table(const std::filesystem::path& path, const Model& model);

/// Writes a model as VTK's legacy file of structured points (`.vtk`, version 3.0, binary) with the
/// array 'velocity'; z is depth. K. Martin, W. Schroeder and B. Lorensen, The VTK User's Guide,
/// 11th edition, chapter 19.
void write_legacy_vtk(const std::filesystem::path& path, const Model& model);

}  // namespace fermat
