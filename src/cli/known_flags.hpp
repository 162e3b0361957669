#pragma once

#include <CLI/CLI.hpp>

#include <filesystem>
#include <memory>
#include <optional>

#include "core/notes.hpp"
#include "tomography/gauss_newton/known_ground.hpp"

namespace fermat::cli {

/// What a user knows of the ground beside the picks.
struct KnownFlags {
    std::optional<std::filesystem::path> log;
    std::optional<std::filesystem::path> regions;
    std::optional<std::filesystem::path> interfaces;
    std::optional<std::filesystem::path> guide;
    std::optional<std::filesystem::path> prior;
    std::optional<double> prior_deviation;
};
void add_known_flags(CLI::App& app, KnownFlags& flags);

/// What the files have; null where none is given.
std::shared_ptr<const KnownGround> read_known(const KnownFlags& flags, Notes& notes);

}  // namespace fermat::cli
