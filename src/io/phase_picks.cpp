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
#include "io/hypodd.hpp"
#include "io/input_file.hpp"
#include "io/lotos.hpp"
#include "io/nonlinloc_phases.hpp"
#include "io/phase_cards.hpp"
#include "io/survey_file.hpp"
#include "io/text.hpp"
#include "io/waveforms.hpp"
#include "survey/settle.hpp"

namespace fermat {
namespace fs = std::filesystem;
namespace {

std::string file_name(const fs::path& path) { return fmt::format("'{}'", path.string()); }

/// Columns of a place, named prefix + x, y (optional) and z.
struct PlaceColumns {
    std::size_t x;
    std::optional<std::size_t> y;
    std::size_t z;

    static std::optional<PlaceColumns> find(const CsvTable& table, const std::string& prefix) {
        if (!table.find_column(prefix + "x")) return std::nullopt;
        return PlaceColumns{table.column(prefix + "x"), table.find_column(prefix + "y"),
                            table.column(prefix + "z")};
    }
    Vec3 read(const CsvTable& table, std::size_t row) const {
        return {table.number(row, x), y ? table.number(row, *y) : 0.0, table.number(row, z)};
    }
};

double read_time(const CsvTable& table, std::size_t row, std::size_t column, bool dates) {
    if (!dates) return table.number(row, column);
    const auto seconds = parse_clock(table.text(row, column));
    if (seconds) return *seconds;
    throw InputError(
        fmt::format("{}time is {} (must be a date such as 2018-11-30T17:29:35.11, as "
                    "in the first row)",
                    table.where(row), in_quotes(table.text(row, column))));
}

double error_or_missing(const CsvTable& table, std::size_t row, std::size_t column) {
    const std::string_view text = table.text(row, column);
    const auto value = parse_number(text);
    const bool open = text.empty() || (value && std::isnan(*value));
    return open ? missing_error : table.number(row, column);
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
PhasePicks read_csv_picks(const PhaseFiles& files, Notes& notes) {
    Tables tables = read_tables(files, notes);
    settle_plane(tables, files, notes);
    const CsvTable table(files.picks);
    if (table.rows() == 0) {
        throw InputError(fmt::format("{} has a header and no rows", file_name(files.picks)));
    }
    const auto source = PlaceColumns::find(table, "source_");
    const auto receiver = PlaceColumns::find(table, "receiver_");
    const auto event = table.find_column("event");
    const auto station = table.find_column("station");
    if (!source || tables.events) table.column("event");
    if (!receiver || tables.stations) table.column("station");
    if (!receiver && !tables.stations) {
        throw InputError(
            fmt::format("{} has no receiver_x,receiver_y,receiver_z (give the stations: CSV with "
                        "station,x,y,z)",
                        file_name(files.picks)));
    }
    const bool is_2d = tables.stations ? tables.stations->is_2d : !receiver->y;
    const std::size_t time = table.column("time");
    const auto phase = table.find_column("phase");
    const auto error =
        find_error_column(file_name(files.picks), table.names(), pick_column_names(), notes);
    const bool has_dates = parse_clock(table.text(0, time)).has_value();
    PhaseRows rows(file_name(files.picks));
    if (tables.stations) rows.set_stations(*tables.stations);
    if (tables.events) rows.set_events(*tables.events);
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const auto id = [&](const std::optional<std::size_t>& column) {
            return column ? std::string(table.text(row, *column)) : std::string();
        };
        std::string event_id = id(event);
        std::string station_id = id(station);
        try {
            if (!tables.stations) {
                station_id = rows.place_station(station_id, receiver->read(table, row));
            }
            if (!tables.events && source) {
                event_id = rows.place_event(event_id, source->read(table, row));
            }
        } catch (const InputError& wrong) {
            const std::string what = wrong.what();
            throw InputError(what.starts_with(table.where(row)) ? what : table.where(row) + what);
        }
        rows.add(event_id, station_id, phase ? table.text(row, *phase) : "P",
                 read_time(table, row, time, has_dates),
                 error ? error_or_missing(table, row, *error) : 0.0, table.where(row));
    }
    PhasePicks out = rows.finish(error.has_value(), is_2d, notes);
    out.has_dates = has_dates;
    out.plane = tables.plane;
    // A table of ours keeps the plane of its points in a '#' line.
    if (receiver && !tables.stations && !tables.events) out.plane = read_plane(files.picks);
    return out;
}

/// Formats of other programs; times are dates in all but LOTOS's, which has no errors either.
template <class Read>
PhasePicks read_dated(const PhaseFiles& files, Tables tables, Read read, Notes& notes,
                      bool has_dates = true) {
    if (!tables.stations) {
        throw InputError(fmt::format("{} has no places of stations (give the stations)",
                                     file_name(files.picks)));
    }
    settle_plane(tables, files, notes);
    PhaseRows rows(file_name(files.picks));
    rows.set_stations(*tables.stations);
    if (tables.events) rows.set_events(*tables.events);
    read(rows);
    PhasePicks out = rows.finish(has_dates, tables.stations->is_2d, notes);
    out.has_dates = has_dates;
    out.plane = tables.plane;
    return out;
}

bool is_hypodd_phases(const fs::path& path) {
    const std::string content = read_whole_file(path);
    LineReader lines(content);
    while (const auto line = lines.next()) {
        const std::string_view shown = trim(*line);
        if (shown.empty()) continue;
        return shown.starts_with('#') && shown.find(',') == std::string_view::npos &&
               split_words(shown.substr(1)).size() >= 14;
    }
    return false;
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

PhasePicks read_lotos(const PhaseFiles& files, Notes& notes) {
    Tables tables;
    if (files.stations) tables.stations = read_lotos_stations(*files.stations);
    tables.events =
        files.events ? read_event_table(*files.events, notes) : read_lotos_events(files.picks);
    return read_dated(
        files, std::move(tables), [&](PhaseRows& rows) { read_lotos_rays(files.picks, rows); },
        notes, false);
}

PhasePicks read_cards(const PhaseFiles& files, PhaseCards kind, Notes& notes) {
    Tables tables = read_tables(files, notes);
    if (!tables.events) tables.events = read_card_events(files.picks, kind, notes);
    return read_dated(
        files, std::move(tables),
        [&](PhaseRows& rows) { read_card_phases(files.picks, kind, rows, notes); }, notes);
}

}  // namespace

bool needs_stations(const fs::path& picks) {
    refuse_waveforms(picks);
    return is_nonlinloc_phases(picks) || is_hypodd_phases(picks) || phase_cards_of(picks) ||
           is_lotos_rays(picks);
}

PhasePicks read_phase_picks(const PhaseFiles& files, Notes& notes) {
    refuse_waveforms(files.picks);
    if (is_nonlinloc_phases(files.picks)) {
        Tables tables = read_tables(files, notes);
        if (!tables.events && tables.stations) {
            tables.events = read_nonlinloc_hypocentres(files.picks, !tables.stations->geographic);
            if (tables.events->rows.empty()) tables.events.reset();
        }
        return read_dated(
            files, std::move(tables),
            [&](PhaseRows& rows) { read_nonlinloc_phases(files.picks, rows); }, notes);
    }
    if (is_hypodd_phases(files.picks)) {
        Tables tables = read_tables(files, notes);
        if (!tables.events) tables.events = read_hypodd_headers(files.picks);
        return read_dated(
            files, std::move(tables),
            [&](PhaseRows& rows) { read_hypodd_phases(files.picks, rows, notes); }, notes);
    }
    if (const auto kind = phase_cards_of(files.picks)) return read_cards(files, *kind, notes);
    if (is_lotos_rays(files.picks)) return read_lotos(files, notes);
    if (!files.stations && pick_format_of(files.picks) == PickFormat::src_rec) {
        PickReadOptions options;
        options.on_sphere = files.on_sphere || files.centre;  // the plane below is not the last one
        SurveyFile file = read_survey_file(files.picks, options, notes);
        if (files.centre && file.plane) move_to(file, LocalPlane{*files.centre, 1000});
        const bool dated = std::any_of(file.picks.events.begin(), file.picks.events.end(),
                                       [](const Event& event) { return event.origin_time != 0; });
        return {std::move(file.picks), dated, file.plane, std::move(file.magnitudes)};
    }
    return read_csv_picks(files, notes);
}

PhasePicks read_hypocentres(const PhaseFiles& files, Notes& notes) {
    if (!files.stations || !files.events) {
        throw InputError("files of stations and of events are both needed");
    }
    Tables tables = read_tables(files, notes);
    settle_plane(tables, files, notes);
    PhasePicks out;
    for (const NamedPlace& row : tables.stations->rows) {
        out.survey.stations.push_back({row.place, row.id});
    }
    for (const NamedPlace& row : tables.events->rows) {
        if (std::isnan(row.time)) {
            throw InputError(fmt::format("{}: event {} has no origin time (give origin_time)",
                                         file_name(*files.events), in_quotes(row.id)));
        }
        out.survey.events.push_back({row.place, row.time, row.id});
        out.magnitudes.push_back(row.magnitude);
    }
    out.survey.is_2d = tables.stations->is_2d;
    out.has_dates = tables.events->has_dates;
    out.plane = tables.plane;
    return out;
}

}  // namespace fermat
