#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/notes.hpp"
#include "io/phase_rows.hpp"
#include "io/pick_builder.hpp"
#include "io/pick_options.hpp"
#include "io/place_table.hpp"
#include "io/text_file.hpp"

namespace fermat {

// The formats that are read, one entry each. An entry stands in the file that reads the format;
// format_table.cpp lists them in the order in which they are asked whether a file is theirs. All
// readers throw InputError that names file and line, and note what they leave out.

/// The words of a line.
using Words = std::vector<std::string_view>;

/// A format of picks with the places of their sources and receivers.
struct PickReader {
    PickFormat format;
    /// Whether the name of a file tells that it is of this format; null if no name does.
    bool (*named)(const TextFile& file);
    /// Whether the first two lines that are neither empty nor comments do, of which the second is
    /// not empty; null if no line does.
    bool (*looks)(const Words& first, const Words& second);
    SurveyFile (*read)(const TextFile& file, const PickReadOptions& options, Notes& notes);
};
std::span<const PickReader* const> pick_readers();
const PickReader& pick_reader(PickFormat format);

/// A catalogue: picks that name their stations, whose places stand in another file, and events
/// whose places may not be known.
struct CatalogueReader {
    bool (*is)(const TextFile& file);
    /// Its picks. The tables of stations, and of events where there are some, are set before.
    void (*picks)(const TextFile& file, PhaseRows& rows, Notes& notes);
    /// The events that the file itself places, as x and y if `plain`; nothing if there are none.
    std::optional<PlaceTable> (*events)(const TextFile& file, bool plain, Notes& notes);
    /// Its own list of stations; null where read_station_table() reads it.
    PlaceTable (*stations)(const TextFile& file);
    bool has_dates;  ///< times are dates and picks have errors
};
std::span<const CatalogueReader* const> catalogue_readers();
/// The entry of a catalogue; null if the file is none.
const CatalogueReader* catalogue_reader(const TextFile& file);

/// A format of stations or of events. `is` is null for the last one, which takes what is left.
struct PlaceReader {
    bool (*is)(const TextFile& file);
    PlaceTable (*read)(const TextFile& file, Notes& notes);
};
std::span<const PlaceReader* const> station_readers();
std::span<const PlaceReader* const> event_readers();

#define FERMAT_PICKS(name) extern const PickReader name##_picks;
#include "io/pick_formats.def"

extern const CatalogueReader nonlinloc_catalogue;
extern const CatalogueReader hypodd_catalogue;
extern const CatalogueReader velest_catalogue;
extern const CatalogueReader simulps_catalogue;
extern const CatalogueReader lotos_catalogue;
extern const CatalogueReader xml_catalogue;
extern const CatalogueReader hypo_catalogue;

extern const PlaceReader velest_stations;
extern const PlaceReader csv_stations;
extern const PlaceReader control_stations;
extern const PlaceReader simulps_stations;
extern const PlaceReader hypodd_stations;
extern const PlaceReader xml_stations;
extern const PlaceReader hypoinverse_stations;

extern const PlaceReader hypodd_headers;
extern const PlaceReader nonlinloc_events;
extern const PlaceReader csv_events;
extern const PlaceReader hypodd_relocated;
extern const PlaceReader hypodd_events;
extern const PlaceReader xml_events;
extern const PlaceReader hypoinverse_events;

}  // namespace fermat
