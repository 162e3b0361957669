#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/notes.hpp"
#include "model/model.hpp"
#include "rays/rays.hpp"

namespace fermat::cli {

/// The flags that say which rays are wanted.
struct RaySurveyFlags {
    std::vector<std::string> source;
    std::optional<std::filesystem::path> sources;
    std::optional<std::filesystem::path> receivers;
    std::optional<std::filesystem::path> pairs;
    std::optional<std::filesystem::path> picks;
};

/// `picks` says what --picks is for.
void add_ray_survey_flags(CLI::App& app, RaySurveyFlags& flags, const std::string& picks);

/// Which rays to trace.
struct RaySurvey {
    std::vector<PointSource> sources;
    std::vector<Vec3> receivers;
    std::vector<RayPair> pairs;      ///< grouped by source: the order in which rays are made
    std::vector<double> pick_times;  ///< one a pair, where picks are given
};

/// Pairs are those of --picks, else those of --pairs, else all. Picks bring their own points;
/// where --sources or --receivers stand beside them, their numbers hold and every point of a pick
/// must be among them. Points may lie in air. Throws InputError that names flag, file and line.
RaySurvey read_ray_survey(const Model& model, const RaySurveyFlags& flags, Notes& notes);

}  // namespace fermat::cli
