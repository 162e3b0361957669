#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <fmt/format.h>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "bind_plane.hpp"
#include "bindings.hpp"
#include "io/catalogue_formats.hpp"
#include "io/columns.hpp"
#include "io/guess_units.hpp"
#include "io/pick_units.hpp"
#include "io/survey_file.hpp"
#include "points.hpp"
#include "survey/settle.hpp"
#include "survey_columns.hpp"
#include "warn.hpp"

namespace fermat::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Speeds = nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::vector<double> flat(const std::vector<Vec3>& points) {
    std::vector<double> values;
    values.reserve(3 * points.size());
    for (const Vec3& p : points) values.insert(values.end(), {p.x, p.y, p.z});
    return values;
}

template <class Point>
std::vector<double> flat_positions(const std::vector<Point>& points) {
    std::vector<Vec3> positions;
    for (const Point& point : points) positions.push_back(point.position);
    return flat(positions);
}

using Pairs = std::vector<std::pair<std::string, std::string>>;

PickReadOptions read_options(const std::string& format, const Pairs& columns, const Pairs& unit,
                             const Pairs& to, const std::string& phase, bool heights, bool depths,
                             bool relative_errors, bool line, bool leave_out_bad) {
    PickReadOptions options;
    options.format = parse_choice<PickFormat>(format);
    options.columns = columns;
    for (const auto& [what, name] : unit) set_unit(options, what, name);
    for (const auto& [what, name] : to) set_wanted_unit(options, what, name);
    options.phase = phase;
    options.heights = heights;
    options.depths = depths;
    options.relative_errors = relative_errors;
    options.on_line = line;
    options.leave_out_bad = leave_out_bad;
    return options;
}

/// What fermat.Picks.load reads of a file: flat places, columns of picks, labels of points.
struct LoadedPicks {
    nb::object sources, receivers;
    nb::object surface;  ///< the file's own; empty if it has none
    nb::object source, receiver, time;
    nb::object error;     ///< empty if there are none
    nb::object phase;     ///< a number each
    nb::object polarity;  ///< 1, -1 or 0 each; empty if no first motion is known
    nb::object event, station;
    nb::object origin_time;
    bool is_2d = false;
    std::string plane;  ///< of longitudes and latitudes; empty if there is none
    nb::object units;   ///< of length and time; empty where the file does not tell them
    nb::object notes;
};

void put_labels(const Survey& picks, LoadedPicks& to) {
    std::vector<std::int32_t> phase;
    nb::list events, stations;
    std::vector<double> origin;
    for (const Arrival& pick : picks.arrivals) {
        phase.push_back(static_cast<std::int32_t>(pick.phase));
    }
    for (const Event& event : picks.events) {
        events.append(text_of(event.id));
        origin.push_back(event.origin_time);
    }
    for (const Station& station : picks.stations) stations.append(text_of(station.id));
    to.phase = nb::cast(array_from(std::move(phase)));
    to.event = events;
    to.station = stations;
    to.origin_time = nb::cast(array_from(std::move(origin)));
}

LoadedPicks load(const std::filesystem::path& path, const std::string& format, const Pairs& columns,
                 const Pairs& unit, const Pairs& to, const std::string& phase, bool heights,
                 bool depths, bool relative_errors, bool line, bool leave_out_bad) {
    SurveyFile survey;
    Notes notes;
    {
        const nb::gil_scoped_release release;
        const PickReadOptions options = read_options(format, columns, unit, to, phase, heights,
                                                     depths, relative_errors, line, leave_out_bad);
        survey = read_pick_survey(path, options, notes);
    }
    const Survey& picks = survey.picks;
    std::vector<std::int32_t> source, receiver;
    std::vector<double> time, error;
    for (const Arrival& pick : picks.arrivals) {
        source.push_back(pick.event);
        receiver.push_back(pick.station);
        time.push_back(pick.time);
        if (picks.has_errors) error.push_back(pick.error);
    }
    LoadedPicks out;
    out.sources = nb::cast(array_from(flat_positions(picks.events)));
    out.receivers = nb::cast(array_from(flat_positions(picks.stations)));
    out.surface = nb::cast(array_from(flat(survey.points)));
    out.source = nb::cast(array_from(std::move(source)));
    out.receiver = nb::cast(array_from(std::move(receiver)));
    out.time = nb::cast(array_from(std::move(time)));
    out.error = nb::cast(array_from(std::move(error)));
    out.polarity = nb::cast(
        array_from(std::vector<std::int32_t>(survey.polarities.begin(), survey.polarities.end())));
    put_labels(picks, out);
    out.is_2d = picks.is_2d;
    out.plane = survey.plane ? to_text(*survey.plane) : survey.projection;
    out.units = nb::make_tuple(survey.units.length, survey.units.time);
    out.notes = sentences_of(notes);
    return out;
}

/// Errors, or None, as settle_times() leaves them beside these times, and what it noted.
nb::tuple settle(const Numbers& time, const std::optional<Numbers>& error) {
    Survey picks;
    picks.events.emplace_back();
    picks.stations.emplace_back();
    picks.has_errors = error.has_value();
    const std::size_t rows = time.shape(0);
    const double* const errors = error ? column_of(*error, rows, "error") : nullptr;
    for (std::size_t n = 0; n < rows; ++n) {
        picks.arrivals.push_back({0, 0, time.data()[n], error ? errors[n] : 0});
    }
    Notes notes;
    settle_times(
        picks, "picks", [](std::size_t n) { return fmt::format("pick {}: ", n); }, notes);
    nb::object settled = nb::none();
    if (picks.has_errors) {
        std::vector<double> values;
        for (const Arrival& pick : picks.arrivals) values.push_back(pick.error);
        settled = nb::cast(array_from(std::move(values)));
    }
    return nb::make_tuple(settled, sentences_of(notes));
}

/// Returns the index of the column of errors, or None, and notes about the columns.
nb::tuple error_column(const std::vector<std::string>& names) {
    Notes notes;
    const auto found = find_error_column("table of picks", names, pick_column_names(), notes);
    const nb::object number = found ? nb::cast(*found) : nb::none();
    return nb::make_tuple(number, sentences_of(notes));
}

/// What `fermat.Catalogue` knows of its events and picks, for formats that hold it.
Catalogue catalogue_from(const nb::dict& given, const Survey& survey) {
    const auto column = [&](const char* name, std::size_t rows) {
        const auto values = nb::cast<Numbers>(given[name]);
        const double* const first = column_of(values, rows, name);
        return std::vector<double>(first, first + rows);
    };
    const std::size_t events = survey.events.size();
    const auto time_error = column("time_error", events), rms = column("rms", events);
    const auto gap = column("gap", events), nearest = column("nearest", events);
    const auto picks = column("picks", events), used = column("used", events);
    const auto covariance = column("covariance", 9 * events);
    const std::size_t arrivals = survey.arrivals.size();
    const auto residual = column("residual", arrivals), weight = column("weight", arrivals);
    const auto distance = column("distance", arrivals), azimuth = column("azimuth", arrivals);
    const auto take_off = column("take_off", arrivals);
    Catalogue out;
    for (std::size_t n = 0; n < events; ++n) {
        Hypocentre one;
        one.position = survey.events[n].position;
        one.origin_time = survey.events[n].origin_time;
        one.status = is_finite(one.position) ? LocationStatus::located : LocationStatus::nowhere;
        for (std::size_t a = 0; a < 9; ++a) {
            one.covariance[a / 3][a % 3] = covariance[9 * n + a];
        }
        one.time_error = time_error[n];
        one.rms = rms[n];
        one.gap = gap[n];
        one.nearest = nearest[n];
        one.picks = static_cast<int>(picks[n]);
        one.used = static_cast<int>(used[n]);
        out.events.push_back(one);
    }
    for (std::size_t n = 0; n < arrivals; ++n) {
        PickFit fit;
        fit.residual = residual[n];
        fit.weight = weight[n];
        fit.distance = distance[n];
        fit.azimuth = azimuth[n];
        fit.take_off = take_off[n];
        out.fits.push_back(fit);
    }
    return out;
}

nb::list save(const std::filesystem::path& path, const Points& sources, const Points& receivers,
              const Indices& source, const Indices& receiver, const Numbers& time,
              const Numbers& error, const nb::tuple& labels, const std::string& plane,
              const nb::dict& how) {
    SurveyFile survey;
    survey.plane = plane_from(plane);
    if (!survey.plane) survey.projection = plane;
    Survey& picks = survey.picks;
    for (const Vec3 p : points_from(sources, 0)) picks.events.push_back({p});
    for (const Vec3 p : points_from(receivers, 0)) picks.stations.push_back({p});
    picks.has_errors = error.shape(0) > 0;
    picks.is_2d = sources.shape(1) == 2;
    picks.arrivals = arrivals_from(source, receiver, nb::cast<Indices>(labels[0]), time, error);
    add_labels(picks, labels);
    validate(picks);
    WriteOptions options;
    options.geographic = nb::cast<bool>(how["geographic"]);
    options.format = parse_choice<WrittenFormat>(nb::cast<std::string>(how["output_format"]));
    survey.units = {nb::cast<std::string>(how["length"]), nb::cast<std::string>(how["time"])};
    options.stations = nb::cast<std::optional<std::filesystem::path>>(how["output_stations"]);
    std::optional<Catalogue> found;
    if (how.contains("found")) found = catalogue_from(nb::cast<nb::dict>(how["found"]), picks);
    if (how.contains("polarity")) {
        const auto polarity = nb::cast<Indices>(how["polarity"]);
        require_rows(polarity.shape(0), picks.arrivals.size(), "polarity");
        for (std::size_t n = 0; n < picks.arrivals.size(); ++n) {
            survey.polarities.push_back(static_cast<Polarity>(polarity(n)));
        }
    }
    if (how.contains("phases")) {
        survey.phases = nb::cast<std::vector<std::string>>(how["phases"]);
        require_rows(survey.phases.size(), picks.arrivals.size(), "phases");
    }
    Notes notes;
    {
        const nb::gil_scoped_release release;
        write_picks_as(path, {survey, {}, found ? &*found : nullptr}, options, notes);
    }
    return sentences_of(notes);
}

/// The format that a file's name tells, or that is wanted.
std::string format_name(const std::filesystem::path& path, const std::string& wanted) {
    return std::string(name_of(written_format(path, parse_choice<WrittenFormat>(wanted))));
}

/// Names of units for axes, where `length` or `time` is empty by the velocities or the plane.
nb::tuple guess(const std::string& length, const std::string& time, const std::string& plane,
                const Speeds& velocity) {
    const UnitNames known = known_units({length, time}, plane_from(plane));
    const FieldView<const float> values(velocity.data(), {1, 1, static_cast<int>(velocity.size())});
    const UnitNames units = guess_units(known, values).units;
    return nb::make_tuple(units.length, units.time);
}

}  // namespace

void bind_picks(nb::module_& module) {
    bind_plane(module);
    nb::class_<LoadedPicks>(module, "LoadedPicks", "What fermat.Picks.load reads of a file.")
        .def_ro("sources", &LoadedPicks::sources)
        .def_ro("receivers", &LoadedPicks::receivers)
        .def_ro("surface", &LoadedPicks::surface)
        .def_ro("source", &LoadedPicks::source)
        .def_ro("receiver", &LoadedPicks::receiver)
        .def_ro("time", &LoadedPicks::time)
        .def_ro("error", &LoadedPicks::error)
        .def_ro("phase", &LoadedPicks::phase)
        .def_ro("polarity", &LoadedPicks::polarity)
        .def_ro("event", &LoadedPicks::event)
        .def_ro("station", &LoadedPicks::station)
        .def_ro("origin_time", &LoadedPicks::origin_time)
        .def_ro("is_2d", &LoadedPicks::is_2d)
        .def_ro("plane", &LoadedPicks::plane)
        .def_ro("units", &LoadedPicks::units)
        .def_ro("notes", &LoadedPicks::notes);
    module.def("load_picks", &load, "path"_a, "format"_a, "columns"_a, "unit"_a, "to"_a, "phase"_a,
               "heights"_a, "depths"_a, "relative_errors"_a, "line"_a, "leave_out_bad"_a,
               nb::sig("def load_picks(path: str | os.PathLike[str], format: str, columns: "
                       "list[tuple[str, str]], unit: list[tuple[str, str]], to: "
                       "list[tuple[str, str]], phase: str, heights: bool, depths: bool, "
                       "relative_errors: bool, line: bool, leave_out_bad: bool) -> LoadedPicks"),
               "fermat.Picks.load before its arrays are put in shape.");
    module.def("settle_picks", &settle, "time"_a, "error"_a.none(),
               nb::sig("def settle_picks(time: numpy.typing.NDArray[typing.Any], error: "
                       "numpy.typing.NDArray[typing.Any] | None) -> tuple[typing.Any, list[str]]"),
               "Errors of picks with the missing ones filled in, and notes about them.");
    module.def("error_column", &error_column, "names"_a,
               nb::sig("def error_column(names: list[str]) -> tuple[int | None, list[str]]"),
               "The index of the column of errors in a table of picks, and notes about it.");
    module.def("save_picks", &save, "path"_a, "sources"_a, "receivers"_a, "source"_a, "receiver"_a,
               "time"_a, "error"_a, "labels"_a, "plane"_a, "how"_a,
               nb::sig("def save_picks(path: str | os.PathLike[str], sources: "
                       "numpy.typing.NDArray[typing.Any], receivers: "
                       "numpy.typing.NDArray[typing.Any], source: "
                       "numpy.typing.NDArray[typing.Any], receiver: "
                       "numpy.typing.NDArray[typing.Any], time: "
                       "numpy.typing.NDArray[typing.Any], error: "
                       "numpy.typing.NDArray[typing.Any], labels: tuple[typing.Any, ...], "
                       "plane: str, how: dict[str, typing.Any]) -> list[str]"),
               "fermat.Picks.save after its arrays are checked; returns notes.");
    module.def("guess_units", &guess, "length"_a, "time"_a, "plane"_a, "velocity"_a,
               nb::sig("def guess_units(length: str, time: str, plane: str, velocity: "
                       "numpy.typing.NDArray[typing.Any]) -> tuple[str, str]"),
               "Units of length and time, where they are empty by the plane or the velocities.");
    module.def("written_format", &format_name, "path"_a, "wanted"_a,
               nb::sig("def written_format(path: str | os.PathLike[str], wanted: str) -> str"),
               "The format that picks are written in: that of the name, or the one wanted.");
}

}  // namespace fermat::python
