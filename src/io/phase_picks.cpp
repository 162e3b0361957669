#include "io/phase_picks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "io/clock.hpp"
#include "io/columns.hpp"
#include "io/csv.hpp"
#include "io/format_table.hpp"
#include "io/survey_file.hpp"
#include "io/text.hpp"
#include "io/waveforms.hpp"
#include "survey/settle.hpp"

namespace fermat {
namespace fs = std::filesystem;
namespace {

std::string file_name(const fs::path& path) { return fmt::format("'{}'", path.string()); }

double read_time(const CsvTable& table, std::size_t row, std::size_t column, bool dates) {
    if (!dates) return table.number(row, column);
    const auto seconds = parse_clock(table.text(row, column));
    if (seconds) return *seconds;
    throw InputError(
        fmt::format("{}time is {} (must be a date such as 2018-11-30T17:29:35.11, as "
                    "in the first row)",
                    table.where(row), in_quotes(table.text(row, column))));
}

/// The tables beside the picks, on one plane.
struct Tables {
    std::optional<PlaceTable> stations;
    std::optional<PlaceTable> events;
    std::optional<LocalPlane> plane;
};

void settle_plane(Tables& tables, const PhaseFiles& files, Notes& notes) {
    const auto pointer = [](const std::optional<PlaceTable>& table) {
        return table ? &*table : nullptr;
    };
    tables.plane = plane_of({pointer(tables.stations), pointer(tables.events)}, files.centre);
    if (!tables.plane) {
        if (files.centre) {
            throw InputError("`centre` is given and no place is a longitude and latitude");
        }
        return;
    }
    for (auto* table : {&tables.stations, &tables.events}) {
        if (*table) put_on_plane(**table, *tables.plane);
    }
    if (files.centre || files.on_sphere) return;
    notes.add(fmt::format("longitudes and latitudes were put on the {} (`centre` chooses another)",
                          to_text(*tables.plane)));
}

Tables read_tables(const PhaseFiles& files, Notes& notes) {
    Tables tables;
    if (files.stations) tables.stations = read_station_table(*files.stations, notes);
    if (files.events) tables.events = read_event_table(*files.events, notes);
    return tables;
}

/// CSV with ids, or with the places of each pick.
SurveyFile read_csv_picks(const PhaseFiles& files, const TextFile& file, Notes& notes) {
    Tables tables = read_tables(files, notes);
    settle_plane(tables, files, notes);
    const CsvTable table(file);
    if (table.rows() == 0) {
        throw InputError(fmt::format("{} has a header and no rows", file.quoted()));
    }
    const auto source = PointColumns::find(table, "source_");
    const auto receiver = PointColumns::find(table, "receiver_");
    const auto event = table.find_column("event");
    const auto station = table.find_column("station");
    if (!source || tables.events) table.column("event");
    if (!receiver || tables.stations) table.column("station");
    if (!receiver && !tables.stations) {
        throw InputError(
            fmt::format("{} has no receiver_x,receiver_y,receiver_z (give the stations: CSV with "
                        "station,x,y,z)",
                        file.quoted()));
    }
    const bool is_2d = tables.stations ? tables.stations->is_2d : receiver->is_2d();
    const std::size_t time = table.column("time");
    const auto phase = table.find_column("phase");
    const auto polarity = table.find_column("polarity");
    const auto error = find_error_column(file.quoted(), table.names(), pick_column_names(), notes);
    const bool has_dates = parse_clock(table.text(0, time)).has_value();
    PhaseRows rows(file.quoted());
    if (tables.stations) rows.set_stations(*tables.stations);
    if (tables.events) rows.set_events(*tables.events);
    if (files.later) rows.keep_later();
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const auto id = [&](const std::optional<std::size_t>& column) {
            return column ? std::string(table.text(row, *column)) : std::string();
        };
        std::string event_id = id(event);
        std::string station_id = id(station);
        try {
            if (!tables.stations) {
                station_id = rows.place_station(station_id, (*receiver)(row));
            }
            if (!tables.events && source) {
                event_id = rows.place_event(event_id, (*source)(row));
            }
        } catch (const InputError& wrong) {
            const std::string what = wrong.what();
            throw InputError(what.starts_with(table.where(row)) ? what : table.where(row) + what);
        }
        rows.add(event_id, station_id, phase ? table.text(row, *phase) : "P",
                 read_time(table, row, time, has_dates),
                 error ? table.number_or_nan(row, *error) : 0.0, table.where(row),
                 polarity ? polarity_of(table.text(row, *polarity)) : Polarity{0});
    }
    SurveyFile out = rows.finish(error.has_value(), is_2d, notes);
    out.has_dates = has_dates;
    out.plane = tables.plane;
    // A table of ours keeps the plane of its points in a '#' line.
    if (receiver && !tables.stations && !tables.events) out.plane = read_plane(file);
    return out;
}

/// The catalogue of another program.
SurveyFile read_catalogue(const CatalogueReader& reader, const PhaseFiles& files,
                          const TextFile& file, Notes& notes) {
    Tables tables;
    if (files.stations) {
        tables.stations = reader.stations != nullptr ? reader.stations(*files.stations)
                                                     : read_station_table(*files.stations, notes);
    }
    if (files.events) tables.events = read_event_table(*files.events, notes);
    if (!tables.stations) {
        throw InputError(
            fmt::format("{} has no places of stations (give the stations)", file.quoted()));
    }
    if (!tables.events) {
        tables.events = reader.events(file, !tables.stations->geographic, notes);
    }
    settle_plane(tables, files, notes);
    PhaseRows rows(file.quoted());
    rows.set_stations(*tables.stations);
    if (tables.events) rows.set_events(*tables.events);
    if (files.later) rows.keep_later();
    reader.picks(file, rows, notes);
    SurveyFile out = rows.finish(reader.has_dates, tables.stations->is_2d, notes);
    out.has_dates = reader.has_dates;
    out.plane = tables.plane;
    return out;
}

/// Puts places on another plane.
void move_to(SurveyFile& file, const LocalPlane& plane) {
    const auto move = [&](Vec3& place) {
        const PlanePoint at = plane.to_plane(file.plane->to_geographic({place.x, place.y}));
        place = {at.x, at.y, place.z};
    };
    for (Event& event : file.picks.events) move(event.position);
    for (Station& station : file.picks.stations) move(station.position);
    file.plane = plane;
}

}  // namespace

bool needs_stations(const TextFile& picks) {
    refuse_waveforms(picks);
    return catalogue_reader(picks) != nullptr;
}

SurveyFile read_phase_picks(const PhaseFiles& files, Notes& notes) {
    const TextFile picks = files.picks;
    refuse_waveforms(picks);
    if (const CatalogueReader* reader = catalogue_reader(picks)) {
        return read_catalogue(*reader, files, picks, notes);
    }
    if (!files.stations && pick_format_of(picks) == PickFormat::src_rec) {
        PickReadOptions options;
        options.on_sphere = files.on_sphere || files.centre;  // the plane below is not the last one
        SurveyFile file = read_survey_file(picks, options, notes);
        if (files.centre && file.plane) move_to(file, LocalPlane{*files.centre, 1000});
        file.has_dates = std::any_of(file.picks.events.begin(), file.picks.events.end(),
                                     [](const Event& event) { return event.origin_time != 0; });
        return file;
    }
    return read_csv_picks(files, picks, notes);
}

SurveyFile read_hypocentres(const PhaseFiles& files, Notes& notes) {
    if (!files.stations || !files.events) {
        throw InputError("files of stations and of events are both needed");
    }
    Tables tables = read_tables(files, notes);
    settle_plane(tables, files, notes);
    SurveyFile out;
    for (const NamedPlace& row : tables.stations->rows) {
        out.picks.stations.push_back({row.place, row.id});
    }
    for (const NamedPlace& row : tables.events->rows) {
        if (std::isnan(row.time)) {
            throw InputError(fmt::format("{}: event {} has no origin time (give origin_time)",
                                         file_name(*files.events), in_quotes(row.id)));
        }
        out.picks.events.push_back({row.place, row.time, row.id});
        out.magnitudes.push_back(row.magnitude);
    }
    out.picks.is_2d = tables.stations->is_2d;
    out.has_dates = tables.events->has_dates;
    out.plane = tables.plane;
    return out;
}

}  // namespace fermat
