#pragma once

#include <filesystem>
#include <optional>
#include <span>

#include "core/choice.hpp"
#include "core/notes.hpp"
#include "io/pick_builder.hpp"
#include "location/catalogue.hpp"

namespace fermat {

/// The formats that picks are written in.
enum class WrittenFormat {
    automatic,  ///< by name and suffix
    csv,
    sgt,
    nonlinloc,  ///< `.obs`; stations as GTSRCE lines
    hypodd,     ///< `phase.dat`; stations as `station.dat`
    src_rec,    ///< of TomoATT, with the stations in it
    velest,     ///< `.cnv`; stations as `.sta`
    simulps,    ///< events (file 4); stations (file 2)
    lotos,      ///< `rays.dat`; stations as `stat_ft.dat`
    quakeml,    ///< QuakeML 1.2; stations as StationXML 1.1
};
template <>
inline constexpr auto choices<WrittenFormat> =
    choice_table<WrittenFormat>("format to write", {{"auto", WrittenFormat::automatic},
                                                    {"csv", WrittenFormat::csv},
                                                    {"sgt", WrittenFormat::sgt},
                                                    {"nonlinloc", WrittenFormat::nonlinloc},
                                                    {"hypodd", WrittenFormat::hypodd},
                                                    {"src_rec", WrittenFormat::src_rec},
                                                    {"velest", WrittenFormat::velest},
                                                    {"simulps", WrittenFormat::simulps},
                                                    {"lotos", WrittenFormat::lotos},
                                                    {"quakeml", WrittenFormat::quakeml}});

/// The format that is wanted, or that of the name: .csv, .sgt, .obs, .cnv, .pha and phase*.dat,
/// src_rec*, rays*.dat, .xml, .qml and .quakeml. Devices and pipes are CSV. Throws InputError if
/// the name tells none.
WrittenFormat written_format(const std::filesystem::path& path,
                             WrittenFormat wanted = WrittenFormat::automatic);
/// Whether a format is one of catalogues: neither CSV nor `.sgt`.
bool is_catalogue_format(WrittenFormat format);

/// How picks are written.
struct WriteOptions {
    WrittenFormat format = WrittenFormat::automatic;
    std::optional<std::filesystem::path>
        stations{};           ///< to write, where the format has such a file
    bool geographic = false;  ///< of CSV: longitudes and latitudes
};

/// What goes out: picks whose events have places and origin times, and what is known besides.
struct WrittenPicks {
    const SurveyFile& file;
    std::span<const double> magnitudes{};  ///< as events; NaN or absent where not known
    const Catalogue* found = nullptr;      ///< errors of events and residuals of picks, if located
};

/// Writes picks in a format and, if wanted, its file of stations; each appears complete or not at
/// all. What the format cannot hold is noted with a count. Events without a place or an origin
/// time, picks before their event, and picks that a location calls gross are left out of formats
/// that cannot hold them. Throws InputError where data would be lost that a reader cannot restore:
/// no plane for longitudes and latitudes, names of stations that are equal when they are cut,
/// numbers that do not fit into their columns.
void write_picks_as(const std::filesystem::path& path, const WrittenPicks& picks,
                    const WriteOptions& options, Notes& notes);

/// The survey with the places and origin times that were found; what was not located has none.
Survey with_hypocentres(const Survey& survey, const Catalogue& found);

}  // namespace fermat
