#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/vec3.hpp"
#include "model/model.hpp"

namespace fermat::bench {

/// Writes a model, its source and its receivers for the picture of a paper: NAME.h5 and NAME.csv
/// with columns role (source or receiver), x, y and z. A picture so shows the very medium that was
/// measured.
void write_scene(const std::filesystem::path& folder, const std::string& name, const Model& model,
                 Vec3 source, const std::vector<Vec3>& receivers);

}  // namespace fermat::bench
