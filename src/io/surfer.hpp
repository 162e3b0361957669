#pragma once

#include <filesystem>

#include "core/notes.hpp"
#include "io/text_file.hpp"
#include "model/placement.hpp"

namespace fermat {

/// Reads a section from a grid of Surfer: text ('DSAA'), Surfer 6 binary ('DSBB') or Surfer 7
/// ('DSRB'). Its x is ours; its y is height, so that depth is its negative, or depth if `depths`.
/// Blanked nodes become air, and their number is noted. Throws InputError.
Model read_surfer(const TextFile& file, bool depths, Placement placement, Notes& notes);

/// Writes a 2-D model as Surfer's text grid; y is height, and air is blanked. Cells are written at
/// their middles. Throws InputError if the model is 3-D.
void write_surfer(const std::filesystem::path& path, const Model& model);

}  // namespace fermat
