#include "io/phase_picks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/error.hpp"
#include "io/clock.hpp"
#include "io/columns.hpp"
#include "io/csv.hpp"
#include "io/text.hpp"
#include "survey/builder.hpp"
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

/// Places by their ids.
struct NamedPlaces {
    std::map<std::string, Vec3, std::less<>> places;
    bool is_2d = false;
};

NamedPlaces read_named(const fs::path& path, const char* id_column, Notes& notes) {
    const CsvTable table(path);
    const std::size_t id = table.column(id_column);
    table.column("x");
    const PlaceColumns columns = *PlaceColumns::find(table, "");
    const std::array<std::string_view, 5> known = {id_column, "x", "y", "z", "origin_time"};
    note_unused_columns(file_name(path), table.names(), known,
                        fmt::format("read are {},x,y,z", id_column), notes);
    NamedPlaces out;
    out.is_2d = !columns.y;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const std::string name(table.text(row, id));
        const Vec3 place = columns.read(table, row);
        if (name.empty()) {
            throw InputError(
                fmt::format("{}{} is empty (must be an id)", table.where(row), id_column));
        }
        const auto [entry, added] = out.places.emplace(name, place);
        if (!added && entry->second != place) {
            throw InputError(fmt::format("{}{} {} has two places (must have one)", table.where(row),
                                         id_column, in_quotes(name)));
        }
    }
    return out;
}

/// What is left out, with counts and the first names.
class LeftOut {
  public:
    explicit LeftOut(std::string why) : why_(std::move(why)) {}
    void add(std::string_view name) {
        ++count_;
        names_.emplace(name);
    }
    void tell(const std::string& file, std::size_t rows, Notes& notes) const {
        if (count_ == 0) return;
        std::string list;
        std::size_t shown = 0;
        for (const std::string& name : names_) {
            if (name.empty()) continue;
            if (++shown > 5) break;
            list += (shown == 1 ? " (" : ", ") + in_quotes(name);
        }
        if (shown > 0) list += shown > 5 ? fmt::format(" and {} more)", names_.size() - 5) : ")";
        notes.add(
            fmt::format("{}: {} of {} picks are left out: {}{}", file, count_, rows, why_, list));
    }

  private:
    std::string why_;
    std::size_t count_ = 0;
    std::set<std::string> names_;
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

std::optional<Phase> known_phase(std::string_view name) {
    try {
        return phase_of_name(name);
    } catch (const InputError&) {
        return std::nullopt;
    }
}

/// A table of picks and the places that belong to it.
class PickTable {
  public:
    PickTable(const PhaseFiles& files, Notes& notes)
        : files_(files),
          table_(files.picks),
          source_(PlaceColumns::find(table_, "source_")),
          receiver_(PlaceColumns::find(table_, "receiver_")),
          event_(table_.find_column("event")),
          station_(table_.find_column("station")) {
        if (table_.rows() == 0) {
            throw InputError(fmt::format("{} has a header and no rows", file_name(files.picks)));
        }
        if (files.stations) stations_ = read_named(*files.stations, "station", notes);
        if (files.events) events_ = read_named(*files.events, "event", notes);
        if (!source_ || events_) table_.column("event");
        if (!receiver_ || stations_) table_.column("station");
        if (!receiver_ && !stations_) {
            throw InputError(
                fmt::format("{} has no receiver_x,receiver_y,receiver_z (give the "
                            "stations: CSV with station,x,y,z)",
                            file_name(files.picks)));
        }
        is_2d_ = stations_ ? stations_->is_2d : !receiver_->y;
    }

    const CsvTable& table() const { return table_; }
    bool is_2d() const { return is_2d_; }
    std::string id(std::optional<std::size_t> column, std::size_t row) const {
        return column ? std::string(table_.text(row, *column)) : std::string();
    }
    std::string event_id(std::size_t row) const { return id(event_, row); }
    std::string station_id(std::size_t row) const { return id(station_, row); }

    /// Nothing if the station is not known.
    std::optional<Vec3> station_place(std::size_t row) const {
        if (!stations_) return receiver_->read(table_, row);
        const auto found = stations_->places.find(station_id(row));
        return found == stations_->places.end() ? std::nullopt : std::optional(found->second);
    }
    /// Nothing if it is not known.
    std::optional<Vec3> event_place(std::size_t row) const {
        if (!events_) return source_ ? std::optional(source_->read(table_, row)) : std::nullopt;
        const auto found = events_->places.find(event_id(row));
        return found == events_->places.end() ? std::nullopt : std::optional(found->second);
    }

  private:
    const PhaseFiles& files_;
    CsvTable table_;
    std::optional<PlaceColumns> source_, receiver_;
    std::optional<std::size_t> event_, station_;
    std::optional<NamedPlaces> stations_, events_;
    bool is_2d_ = false;
};

/// Origin times are not known: the first pick stands for them.
void start_at_first_pick(Survey& survey) {
    for (Event& event : survey.events) {
        event.origin_time = std::numeric_limits<double>::infinity();
    }
    for (const Arrival& arrival : survey.arrivals) {
        Event& event = survey.events[static_cast<std::size_t>(arrival.event)];
        event.origin_time = std::min(event.origin_time, arrival.time);
    }
}

}  // namespace

PhasePicks read_phase_picks(const PhaseFiles& files, Notes& notes) {
    const PickTable picks(files, notes);
    const CsvTable& table = picks.table();
    const std::size_t time = table.column("time");
    const auto phase = table.find_column("phase");
    const auto error =
        find_error_column(file_name(files.picks), table.names(), pick_column_names(), notes);
    PhasePicks out;
    out.has_dates = parse_clock(table.text(0, time)).has_value();

    LeftOut phaseless("without a phase");
    LeftOut other_phase("phases other than first P and S");
    LeftOut nowhere("stations that are not in the stations' file");
    LeftOut repeated("they repeat event, station and phase of an earlier row");
    SurveyBuilder builder;
    std::vector<char> placed;
    std::vector<std::size_t> rows;
    std::set<std::tuple<std::int32_t, std::int32_t, Phase>> seen;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const std::string_view name = phase ? table.text(row, *phase) : "P";
        const auto wave = known_phase(name);
        if (!wave) {
            (trim(name).empty() ? phaseless : other_phase).add(name);
            continue;
        }
        const auto station_place = picks.station_place(row);
        if (!station_place) {
            nowhere.add(picks.station_id(row));
            continue;
        }
        try {
            const auto place = picks.event_place(row);
            const std::int32_t event = builder.event(place.value_or(Vec3{}), picks.event_id(row));
            if (static_cast<std::size_t>(event) == placed.size()) placed.push_back(place ? 1 : 0);
            const std::int32_t station = builder.station(*station_place, picks.station_id(row));
            if (!seen.emplace(event, station, *wave).second) {
                repeated.add("");
                continue;
            }
            builder.add({event, station, read_time(table, row, time, out.has_dates),
                         error ? error_or_missing(table, row, *error) : 0.0, *wave});
            rows.push_back(row);
        } catch (const InputError& wrong) {
            const std::string where = table.where(row);
            const std::string what = wrong.what();
            throw InputError(what.rfind(where, 0) == 0 ? what : where + what);
        }
    }
    for (const LeftOut* left : {&phaseless, &other_phase, &nowhere, &repeated}) {
        left->tell(file_name(files.picks), table.rows(), notes);
    }
    out.survey = builder.take(error.has_value(), picks.is_2d());
    if (out.survey.arrivals.empty()) {
        throw InputError(fmt::format("{} has no pick that can be used", file_name(files.picks)));
    }
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t n = 0; n < placed.size(); ++n) {
        if (placed[n] == 0) out.survey.events[n].position = {unknown, unknown, unknown};
    }
    start_at_first_pick(out.survey);
    settle_times(
        out.survey, file_name(files.picks), [&](std::size_t n) { return table.where(rows[n]); },
        notes);
    return out;
}

}  // namespace fermat
