#pragma once

#include <span>
#include <string_view>

#include "core/notes.hpp"
#include "core/vec3.hpp"
#include "model/model.hpp"

namespace fermat {

/// Notes how many points lie above the ground of a model whose grid follows it, and by how much.
/// The ground is straight between nodes, so points measured on it may lie above: up to half a row
/// they count as on it (Mapping::to_grid), and beyond they are outside the model. `what` names the
/// points: "receivers".
void note_above_ground(const Model& model, std::span<const Vec3> points, std::string_view what,
                       Notes& notes);

}  // namespace fermat
