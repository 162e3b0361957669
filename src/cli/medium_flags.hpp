#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>

#include "core/notes.hpp"
#include "model/medium.hpp"

namespace fermat::cli {

/// The flags of a medium: --model, and for S waves --s-model or --vp-vs.
struct MediumFlags {
    std::filesystem::path model;
    std::optional<std::filesystem::path> s_model;
    std::optional<double> vp_vs;
};

void add_medium_flags(CLI::App& app, MediumFlags& flags);

/// Throws InputError that names flag and file.
Medium medium_of(const MediumFlags& flags, Notes& notes);

}  // namespace fermat::cli
