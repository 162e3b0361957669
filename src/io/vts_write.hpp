#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "core/field.hpp"
#include "model/model.hpp"

namespace fermat {

/// Values on the nodes or in the cells of a model.
struct NamedField {
    std::string name;
    FieldView<const float> values;
};

/// Writes a model as VTK's XML structured grid (`.vts`), whose points lie where the nodes lie in
/// space: of a sphere in its Cartesian coordinates about the centre, else x, y, z with depth down.
/// Beside the array 'velocity' it holds the fields given. Throws InputError for a field of another
/// shape than the nodes or the cells.
void write_vts(const std::filesystem::path& path, const Model& model,
               std::span<const NamedField> fields = {});

}  // namespace fermat
