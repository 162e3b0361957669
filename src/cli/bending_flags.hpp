#pragma once

#include <CLI/CLI.hpp>

#include "rays/bending/rays.hpp"

namespace fermat::cli {

/// Adds --starts, --segment and --tasks of tracer 'bending'.
void add_bending_flags(CLI::App& app, BendingOptions& options);

}  // namespace fermat::cli
