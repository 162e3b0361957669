#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/app.hpp"
#include "io/catalogue_formats.hpp"
#include "io/local_plane.hpp"
#include "io/pick_options.hpp"

namespace fermat::cli {

/// The flags of `fermat picks convert`.
struct PicksConvertFlags {
    bool called = false;
    std::filesystem::path in;
    std::vector<std::string> columns;
    std::vector<std::string> units;
    std::vector<std::string> to;
    PickReadOptions options;
    std::optional<std::filesystem::path> stations;  ///< of catalogues that name them alone
    std::optional<std::filesystem::path> events;
    std::optional<GeoPoint> centre;
    std::filesystem::path output;
    WriteOptions write;
};

/// Adds `convert` below `fermat picks`. The flags must live as long as the program.
void add_picks_convert(CLI::App& picks, PicksConvertFlags& flags);

/// Does the work if the command was called.
void convert_picks(const PicksConvertFlags& flags, const Run& run);

}  // namespace fermat::cli
