#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/notes.hpp"
#include "model/model.hpp"
#include "survey/survey.hpp"

namespace fermat::cli {

/// The flags that select rays.
struct RaySurveyFlags {
    std::vector<std::string> source;
    std::optional<std::filesystem::path> sources;
    std::optional<std::filesystem::path> receivers;
    std::optional<std::filesystem::path> pairs;
    std::optional<std::filesystem::path> picks;
    std::string phases;
};

/// `picks` is the help text of --picks.
void add_ray_survey_flags(CLI::App& app, RaySurveyFlags& flags, const std::string& picks);

/// Pairs of a table with the columns source,receiver. Throws InputError that names file and line.
std::vector<RayPair> read_pairs(const std::filesystem::path& path, std::size_t sources,
                                std::size_t receivers, Notes& notes);

/// The rays to trace, in the order of ray_order(). The pairs are those of --picks, else those of
/// --pairs, else all. Picks bring their own points. If --sources or --receivers are given too,
/// indices refer to these files, which must contain every point of the picks. Points may be in air.
/// Throws InputError that names flag, file and line.
Survey read_ray_survey(const Model& model, const RaySurveyFlags& flags, Notes& notes);

}  // namespace fermat::cli
