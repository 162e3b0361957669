#pragma once

#include "cli/app.hpp"

namespace fermat::cli {

/// Adds `fermat model layers`: flat layers in one model, or layers between interfaces.
void add_model_layers(Program& program, CLI::App& group);

}  // namespace fermat::cli
