#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>

#include "cli/flags.hpp"
#include "core/error.hpp"
#include "io/catalogue_formats.hpp"
#include "io/geographic_picks.hpp"

namespace fermat::cli {

/// The flags of commands that find events: their catalogue in a format of others.
struct CatalogueExport {
    std::optional<std::filesystem::path> file;
    WriteOptions write;
};

inline void add_catalogue_export(CLI::App& app, CatalogueExport& flags) {
    add_text_output(app, "--export", flags.file,
                    "events and picks to write, by the name: QuakeML (.xml, with errors, residuals "
                    "and take-off angles), hypoDD's phase.dat, VELEST's .cnv, TomoATT's src_rec, "
                    "LOTOS's rays.dat, NonLinLoc's .obs");
    add_choice(app, "--output-format", flags.write.format,
               "of --export, if its name does not tell");
    add_text_output(app, "--output-stations", flags.write.stations,
                    "stations to write in the format of --export: StationXML, station.dat, .sta, "
                    "stat_ft.dat, GTSRCE lines");
}

/// Refuses a name that tells no format, and flags without --export, before any work is done.
inline void check_export(const CatalogueExport& flags) {
    if (flags.file) {
        written_format(*flags.file, flags.write.format);
    } else if (flags.write.stations || flags.write.format != WrittenFormat::automatic) {
        throw InputError("--output-format and --output-stations need --export");
    }
}

/// Refuses a format of longitudes and latitudes without a plane, before any work is done.
inline void check_export(const CatalogueExport& flags, const std::optional<LocalPlane>& plane) {
    if (!flags.file || plane) return;
    const WrittenFormat format = written_format(*flags.file, flags.write.format);
    if (!is_catalogue_format(format) || format == WrittenFormat::nonlinloc) return;
    throw InputError(
        fmt::format("--export is '{}', which has longitudes and latitudes, and the places are x "
                    "and y without a "
                    "plane (give stations by longitude and latitude, or write .obs)",
                    flags.file->string()));
}

/// Places of a spherical model and what was found of its events on a plane, from which formats get
/// longitudes and latitudes back; others as they are.
struct PlacedCatalogue {
    Survey survey;
    Catalogue found;
    std::optional<LocalPlane> plane;

    PlacedCatalogue(const Survey& picks, const Catalogue& catalogue,
                    const std::optional<LocalPlane>& own, const std::optional<LocalPlane>& sphere)
        : survey(picks), found(catalogue), plane(own) {
        if (!sphere) return;
        put_on_plane(survey, found, *sphere);
        plane = sphere;
    }
};

/// Writes the events that were found, if that is wanted.
inline void write_export(const CatalogueExport& flags, const Survey& survey,
                         const std::optional<LocalPlane>& plane, const Catalogue& found,
                         std::span<const double> magnitudes, Notes& notes,
                         std::span<const Polarity> polarities = {},
                         std::span<const std::string> phases = {}) {
    if (!flags.file) return;
    SurveyFile file{{}, with_hypocentres(survey, found), plane};
    file.polarities.assign(polarities.begin(), polarities.end());
    file.phases.assign(phases.begin(), phases.end());
    write_picks_as(*flags.file, {file, magnitudes, &found}, flags.write, notes);
}

}  // namespace fermat::cli
