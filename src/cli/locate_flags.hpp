#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "cli/catalogue_export.hpp"
#include "cli/medium_flags.hpp"
#include "cli/option_flags.hpp"
#include "io/first_motions.hpp"
#include "io/phase_picks.hpp"
#include "location/options.hpp"

namespace fermat::cli {

struct Run;

/// The flags of `fermat locate`.
struct LocateFlags {
    MediumFlags medium;
    PhaseFiles files;
    std::optional<std::filesystem::path> surface;
    AxisNumbers box_low;
    AxisNumbers box_high;
    LocateOptions options;
    AxisFlags axes;
    std::filesystem::path output;
    std::optional<std::filesystem::path> fits;
    std::optional<std::filesystem::path> sampled;
    std::optional<std::filesystem::path> moved;
    std::optional<std::filesystem::path> hyp;
    std::optional<std::filesystem::path> grids;
    std::optional<std::string> terms;
    std::optional<std::filesystem::path> made_terms;
    std::optional<std::filesystem::path> motions;
    MotionFormat motion_format = MotionFormat::skhash;
    double angle_error = 10;
    bool follow = false;
    double settle = 10;
    CatalogueExport exported;
};

/// The options with the flags of axes and of the box.
LocateOptions settled_options(const LocateFlags& flags, const Model& model);

/// `fermat locate --follow`: locates events as picks are appended to a file or come on standard
/// input, and appends a line of JSON per event.
void follow_picks(const LocateFlags& flags, const Run& run);

}  // namespace fermat::cli
