#pragma once

#include <filesystem>

#include "model/model.hpp"

namespace fermat {

/// Writes a model as VTK's XML image (`.vti`): the array 'velocity' on points or in cells, as the
/// model has it, appended as raw float32. A 2-D model is a section whose image axes are x, z, -y.
void write_vti(const std::filesystem::path& path, const Model& model);

}  // namespace fermat
