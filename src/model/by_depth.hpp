#pragma once

#include "model/model.hpp"

namespace fermat {

/// True if velocity depends on depth alone.
bool depends_on_depth(const Model& model);

}  // namespace fermat
