#include "io/geometry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <tuple>

#include "core/error.hpp"
#include "io/columns.hpp"
#include "io/csv.hpp"
#include "io/destination.hpp"
#include "io/geographic_picks.hpp"
#include "io/pick_columns.hpp"
#include "io/shown.hpp"
#include "io/suffix.hpp"
#include "io/survey_file.hpp"
#include "io/waveforms.hpp"
#include "survey/builder.hpp"
#include "survey/settle.hpp"

namespace fermat {
namespace fs = std::filesystem;
namespace {

void require_rows(const CsvTable& table) {
    if (table.rows() > 0) return;
    throw InputError(fmt::format("'{}' has a header and no rows", table.path().string()));
}

/// Notes unused columns. A table of picks may serve as a table of points; its pick columns are not
/// noted.
void note_unused_of_points(const CsvTable& table, bool prefixed, bool geographic, Notes& notes) {
    std::vector<std::string_view> known = {"x", "y", "z", "start_time"};
    if (geographic) known = {"latitude", "longitude", "depth", "start_time"};
    if (prefixed) {
        const auto names = pick_column_names();
        known.insert(known.end(), names.begin(), names.end());
        for (const std::string& name : table.names()) {
            if (is_error_name(name)) known.emplace_back(name);
        }
    }
    note_unused_columns(quoted(table.path()), table.names(), known,
                        "points have x,y,z, and sources perhaps start_time", notes);
}

PointList read_csv_points(const fs::path& path, PointRole role, Notes& notes) {
    const CsvTable table(path);
    require_rows(table);
    const std::string prefix = role == PointRole::source ? "source_" : "receiver_";
    const bool prefixed = !table.find_column("x") && table.find_column(prefix + "x");
    const bool geographic =
        !prefixed && !table.find_column("x") && table.find_column("latitude").has_value();
    const PointColumns point =
        geographic ? PointColumns::geographic(table) : PointColumns(table, prefixed ? prefix : "");
    const auto start = role == PointRole::source ? table.find_column("start_time") : std::nullopt;

    PointList list;
    list.is_2d = point.is_2d();
    list.geographic = geographic;
    note_unused_of_points(table, prefixed, geographic, notes);
    std::set<std::tuple<double, double, double, double>> seen;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const Vec3 p = point(row);
        const double time = start ? table.number(row, *start) : 0.0;
        if (prefixed && !seen.emplace(p.x, p.y, p.z, time).second) continue;
        list.positions.push_back(p);
        list.start_times.push_back(time);
    }
    return list;
}

/// Picks and, where the table has some, their first motions.
Survey read_csv_picks(const TextFile& file, std::vector<Polarity>& polarities, Notes& notes) {
    const CsvTable table(file);
    require_rows(table);
    const PointColumns source(table, "source_");
    const PointColumns receiver(table, "receiver_");
    if (source.is_2d() != receiver.is_2d()) {
        throw InputError(
            fmt::format("{} has y for {} only (source_y and receiver_y must both be "
                        "there, or neither in 2-D)",
                        file.quoted(), source.is_2d() ? "receivers" : "sources"));
    }
    const std::size_t time = table.column("time");
    const auto error = find_error_column(file.quoted(), table.names(), pick_column_names(), notes);
    const auto polarity = table.find_column("polarity");

    const auto event = table.find_column("event");
    const auto station = table.find_column("station");
    const auto phase = table.find_column("phase");
    const auto origin_time = table.find_column("origin_time");

    // Times count from the source's own, which is not known: one pick in a hundred that lies before
    // it refuses no set.
    const auto is_early = [&](std::size_t row) {
        return !origin_time && parse_number(table.text(row, time)).value_or(0) < 0;
    };
    std::size_t early = 0;
    for (std::size_t row = 0; row < table.rows(); ++row) early += is_early(row);
    if (100 * early > table.rows()) early = 0;
    std::vector<std::size_t> kept;
    SurveyBuilder builder;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (early > 0 && is_early(row)) continue;
        kept.push_back(row);
        if (polarity) polarities.push_back(polarity_of(table.text(row, *polarity)));
        const auto id = [&](std::optional<std::size_t> column) {
            return column ? std::string(table.text(row, *column)) : std::string();
        };
        try {
            builder.add({builder.event(source(row), id(event),
                                       origin_time ? table.number(row, *origin_time) : 0.0),
                         builder.station(receiver(row), id(station)), table.number(row, time),
                         error ? table.number_or_nan(row, *error) : 0.0,
                         phase ? phase_of_name(table.text(row, *phase)) : Phase::P});
        } catch (const InputError& wrong) {
            const std::string where = table.where(row);
            const std::string what = wrong.what();
            throw InputError(what.rfind(where, 0) == 0 ? what : where + what);
        }
    }
    Survey picks = builder.take(error.has_value(), source.is_2d());
    settle_times(
        picks, file.quoted(), [&](std::size_t n) { return table.where(kept[n]); }, notes);
    if (early > 0) {
        notes.add(fmt::format("{}: {} of {} picks have a negative time and are left out",
                              file.quoted(), early, table.rows()));
    }
    return picks;
}

/// True for a CSV with the names of ours. Others are read as tables with names of their own, which
/// may also be a table whose time has another name.
bool has_our_columns(const TextFile& file) {
    std::string_view header = file.first_line();
    bool points = false;
    bool time = false;
    bool other_time = false;
    while (!header.empty()) {
        const std::size_t end = std::min(header.find(','), header.size());
        const std::string_view name = trim(header.substr(0, end));
        points = points || name == "source_x" || name == "receiver_x";
        time = time || name == "time";
        const auto role = pick_column_of(name);
        other_time = other_time || (role && role->role == "time");
        header.remove_prefix(std::min(end + 1, header.size()));
    }
    return points && (time || !other_time);
}

/// The columns that only some surveys need: ids, phases and origin times.
class SurveyColumns {
  public:
    explicit SurveyColumns(const SurveyFile& file)
        : survey_(file.picks), later_(file.phases), phases_(!file.phases.empty()) {
        const Survey& survey = file.picks;
        for (const Event& event : survey.events) {
            ids_ = ids_ || !event.id.empty();
            times_ = times_ || event.origin_time != 0;
        }
        for (const Station& station : survey.stations) ids_ = ids_ || !station.id.empty();
        for (const Arrival& arrival : survey.arrivals) {
            phases_ = phases_ || arrival.phase != Phase::P;
        }
    }
    void add_names(std::vector<std::string>& names) const {
        if (ids_) names.insert(names.end(), {"event", "station"});
        if (phases_) names.emplace_back("phase");
        if (times_) names.emplace_back("origin_time");
    }
    void add_cells(std::size_t n, std::vector<CsvCell>& cells) const {
        const Arrival& arrival = survey_.arrivals[n];
        const Event& event = survey_.event_of(arrival);
        if (ids_) {
            cells.emplace_back(std::string_view(event.id));
            cells.emplace_back(std::string_view(survey_.station_of(arrival).id));
        }
        if (phases_) {
            cells.emplace_back(later_.empty() ? name_of(arrival.phase)
                                              : std::string_view(later_[n]));
        }
        if (times_) cells.emplace_back(event.origin_time);
    }

  private:
    const Survey& survey_;
    const std::vector<std::string>& later_;  ///< names of later phases, as arrivals; or none
    bool ids_ = false;
    bool phases_;
    bool times_ = false;
};

void append_point(std::vector<CsvCell>& cells, Vec3 p, bool is_2d) {
    cells.emplace_back(p.x);
    if (!is_2d) cells.emplace_back(p.y);
    cells.emplace_back(p.z);
}

/// How places are written: x, y, z; longitudes and latitudes by the plane; or, of a sphere, the
/// longitudes and latitudes that they are.
enum class WrittenPlaces { plane, geographic, sphere };

/// A table of picks. Its plane stands in a '#' line before the names; a geographic one has
/// longitudes and latitudes instead of x and y.
void write_rows(const fs::path& path, const SurveyFile& survey, const std::string& run,
                WrittenPlaces kind) {
    const Survey& picks = survey.picks;
    const std::string plane_line = survey.plane ? to_text(*survey.plane) : survey.projection;
    const bool geographic = kind != WrittenPlaces::plane;
    std::vector<std::string> names;
    for (const std::string prefix : {"source_", "receiver_"}) {
        names.push_back(prefix + (geographic ? "longitude" : "x"));
        if (geographic || !picks.is_2d) names.push_back(prefix + (geographic ? "latitude" : "y"));
        names.push_back(prefix + "z");
    }
    names.emplace_back("time");
    if (picks.has_errors) names.emplace_back("error");
    const SurveyColumns columns(survey);
    columns.add_names(names);
    const bool motions = !survey.polarities.empty();
    if (motions) names.emplace_back("polarity");
    // These lines go before the first name, which the writer puts at the start of the file.
    const std::string unit_line = to_text(survey.units);
    if (!unit_line.empty() && !geographic) names[0].insert(0, "# " + unit_line + "\n");
    if (!plane_line.empty() && !geographic) names[0].insert(0, "# " + plane_line + "\n");
    CsvWriter table(path, names, run);
    const auto append = [&](std::vector<CsvCell>& cells, Vec3 p) {
        if (kind == WrittenPlaces::sphere) p = {p.y, p.x, p.z};
        if (kind == WrittenPlaces::geographic) {
            const GeoPoint at = survey.plane->to_geographic({p.x, p.y});
            p = {at.longitude, at.latitude, p.z};
        }
        append_point(cells, p, picks.is_2d && !geographic);
    };
    for (std::size_t n = 0; n < picks.arrivals.size(); ++n) {
        const Arrival& pick = picks.arrivals[n];
        std::vector<CsvCell> cells;
        append(cells, picks.event_of(pick).position);
        append(cells, picks.station_of(pick).position);
        cells.emplace_back(pick.time);
        if (picks.has_errors) cells.emplace_back(pick.error);
        columns.add_cells(n, cells);
        const char motion = motions ? motion_letter(survey.polarities[n]) : '?';
        if (motions) cells.emplace_back(std::string_view(&motion, motion == '?' ? 0 : 1));
        table.add_row(cells);
    }
    table.commit();
}

}  // namespace

PointList read_points(const fs::path& path, PointRole role, Notes& notes) {
    if (input_suffix_of(path) == ".csv") return read_csv_points(path, role, notes);
    const Survey picks = read_survey_file(path, {}, notes).picks;
    PointList list;
    if (role == PointRole::source) {
        for (const Event& event : picks.events) list.positions.push_back(event.position);
    } else {
        for (const Station& station : picks.stations) list.positions.push_back(station.position);
    }
    list.start_times.assign(list.positions.size(), 0.0);
    list.is_2d = picks.is_2d;
    return list;
}

namespace {

PointList read_plain_points(const fs::path& path, PointRole role, Notes& notes) {
    PointList list = read_points(path, role, notes);
    if (!list.geographic) return list;
    throw InputError(
        fmt::format("'{}' has latitudes and longitudes (x, y, z are needed)", path.string()));
}

}  // namespace

std::vector<PointSource> read_sources(const fs::path& path, Notes& notes) {
    const PointList list = read_plain_points(path, PointRole::source, notes);
    std::vector<PointSource> sources;
    for (std::size_t i = 0; i < list.positions.size(); ++i) {
        sources.push_back({list.positions[i], list.start_times[i]});
    }
    return sources;
}

std::vector<Vec3> read_receivers(const fs::path& path, Notes& notes) {
    return read_plain_points(path, PointRole::receiver, notes).positions;
}

void write_points(const fs::path& path, const PointList& points) {
    bool timed = false;
    for (const double t : points.start_times) timed |= t != 0;
    std::vector<std::string> names = {"x", "y", "z"};
    if (points.is_2d) names.erase(names.begin() + 1);
    if (timed) names.emplace_back("start_time");
    CsvWriter table(path, names);
    for (std::size_t i = 0; i < points.positions.size(); ++i) {
        std::vector<CsvCell> cells;
        append_point(cells, points.positions[i], points.is_2d);
        if (timed) cells.emplace_back(points.start_times[i]);
        table.add_row(cells);
    }
    table.commit();
}

Survey read_picks(const fs::path& path, Notes& notes) {
    return read_pick_survey(path, {}, notes).picks;
}

SurveyFile read_pick_survey(const TextFile& file, const PickReadOptions& options, Notes& notes) {
    refuse_waveforms(file);
    if (options == PickReadOptions{} && input_suffix_of(file.path()) == ".csv" &&
        has_our_columns(file)) {
        SurveyFile read;
        read.picks = read_csv_picks(file, read.polarities, notes);
        read.plane = read_plane(file);
        read.projection = read_projection(file);
        read.units = read_units(file);
        return read;
    }
    return read_survey_file(file, options, notes);
}

void write_geographic_picks(const fs::path& path, const SurveyFile& survey,
                            const std::string& run) {
    write_rows(path, survey, run, WrittenPlaces::sphere);
}

void write_picks(const fs::path& path, const Survey& picks, const std::string& run) {
    const bool is_file = destination_of(path).kind == Destination::Kind::file;
    if (is_file && input_suffix_of(path) != ".csv") {
        throw InputError(
            fmt::format("cannot write '{}' (picks are written as .csv)", path.string()));
    }
    write_rows(path, {{}, picks, {}}, run, WrittenPlaces::plane);
}

void write_pick_table(const fs::path& path, const SurveyFile& survey, bool geographic,
                      const std::string& run) {
    write_rows(path, survey, run, geographic ? WrittenPlaces::geographic : WrittenPlaces::plane);
}

Surface read_surface(const fs::path& path, Notes& notes) {
    if (input_suffix_of(path) != ".csv") {
        const SurveyFile survey = read_survey_file(path, {}, notes);
        if (survey.points.empty()) {
            throw InputError(fmt::format("{} lists no points of the ground", quoted(path)));
        }
        return {survey.picks.is_2d ? Surface::Kind::line : Surface::Kind::area, survey.points};
    }
    const PointList list = read_plain_points(path, PointRole::receiver, notes);
    return {list.is_2d ? Surface::Kind::line : Surface::Kind::area, list.positions};
}

std::vector<DepthVelocity> read_profile(const fs::path& path, Notes& notes) {
    const CsvTable table(path);
    require_rows(table);
    const std::size_t depth = table.column("depth");
    const std::size_t velocity = table.column("velocity");
    constexpr std::array<std::string_view, 2> known = {"depth", "velocity"};
    note_unused_columns(quoted(path), table.names(), known, "a profile is depth,velocity", notes);
    std::vector<DepthVelocity> profile;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const DepthVelocity at{table.number(row, depth), table.number(row, velocity)};
        if (at.velocity < 0) {
            throw InputError(fmt::format("{}velocity is {} (must be > 0, or 0 for air)",
                                         table.where(row), at.velocity));
        }
        if (!profile.empty() && !(at.depth > profile.back().depth)) {
            throw InputError(fmt::format("{}depth is {} (must be below the {} of the row before)",
                                         table.where(row), at.depth, profile.back().depth));
        }
        profile.push_back(at);
    }
    return profile;
}

}  // namespace fermat
