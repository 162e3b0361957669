#pragma once

#include "cli/app.hpp"

namespace fermat::cli {

/// Commands of `fermat model` for curved coordinates, grids that follow the ground, anisotropy and
/// models of the Earth.
void add_model_media(Program& program, CLI::App& group);

}  // namespace fermat::cli
