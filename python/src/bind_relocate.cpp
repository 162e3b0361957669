#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "differences.hpp"
#include "io/hypodd.hpp"
#include "io/phase_picks.hpp"
#include "location/relocate.hpp"
#include "monitor.hpp"
#include "options.hpp"
#include "phase_picks.hpp"
#include "points.hpp"
#include "survey/mapped_points.hpp"
#include "survey_columns.hpp"
#include "warn.hpp"

namespace fermat::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

PhasePicks load(const std::filesystem::path& events, const std::filesystem::path& stations,
                const std::optional<std::pair<double, double>>& centre) {
    PhaseFiles files{{}, stations, events, std::nullopt};
    if (centre) files.centre = GeoPoint{centre->first, centre->second};
    PhasePicks out;
    out.file = read_hypocentres(files, out.notes);
    return out;
}

Survey survey_of_ids(const std::vector<std::string>& events,
                     const std::vector<std::string>& stations) {
    Survey survey;
    for (const std::string& id : events) survey.events.push_back({{}, 0, id});
    for (const std::string& id : stations) survey.stations.push_back({{}, id});
    return survey;
}

nb::dict load_differences(const std::filesystem::path& path, const std::vector<std::string>& events,
                          const std::vector<std::string>& stations) {
    Notes notes;
    return columns_of(read_hypodd_differences(path, survey_of_ids(events, stations), notes), notes);
}

/// Differences of the picks of neighbouring events; `given` as `Picks` has them.
nb::dict make_differences(const Model& model, const nb::dict& given, const nb::dict& keywords) {
    PairOptions options;
    Keywords(keywords).fill(options);
    Notes notes;
    return columns_of(
        catalogue_differences(in_lengths(survey_from(given, 0), model), options, notes), notes);
}

nb::dict relocate_events(const Model& model, const Model* s_model, double vp_vs,
                         const nb::dict& given, const std::optional<Points>& surface,
                         const nb::dict& keywords, nb::object progress) {
    const Keywords words(keywords);
    RelocateOptions options;
    words.fill(options);
    const Medium medium = vp_vs != 0           ? Medium::of_ratio(model, vp_vs)
                          : s_model != nullptr ? Medium(model, *s_model)
                                               : Medium(model);
    const double flat_y = model.grid().origin.y;
    Survey survey = points_of_survey(given, flat_y);
    survey.is_2d = model.grid().is_2d();
    const std::vector<TimeDifference> differences = differences_from(given);
    std::optional<Surface> ground;
    if (surface) {
        ground.emplace(survey.is_2d ? Surface::Kind::line : Surface::Kind::area,
                       points_from(*surface, flat_y));
    }
    Notes notes;
    PythonMonitor bridge(std::move(progress), words.whole("threads", 0),
                         words.text("device", "auto"));
    Relocation found = bridge.run([&](const Execution& execution) {
        return relocate(medium, survey, differences, options, ground ? &*ground : nullptr,
                        execution, &notes);
    });
    std::vector<double> place, error, origin, time_error, rms;
    std::vector<std::int32_t> cluster, used;
    for (const RelocatedEvent& event : found.events) {
        place.insert(place.end(), {event.position.x, event.position.y, event.position.z});
        error.insert(error.end(), {event.error.x, event.error.y, event.error.z});
        origin.push_back(event.origin_time);
        time_error.push_back(event.time_error);
        cluster.push_back(event.cluster);
        rms.insert(rms.end(), event.rms.begin(), event.rms.end());
        for (const auto& of_kind : event.used) {
            used.insert(used.end(), of_kind.begin(), of_kind.end());
        }
    }
    nb::dict out;
    out["position"] = array_from(std::move(place));
    out["error"] = array_from(std::move(error));
    out["origin_time"] = array_from(std::move(origin));
    out["time_error"] = array_from(std::move(time_error));
    out["cluster"] = array_from(std::move(cluster));
    out["event_rms"] = array_from(std::move(rms));
    out["used"] = array_from(std::move(used));
    out["iterations"] = found.iterations;
    put_fits(std::move(found), out);
    out["notes"] = sentences_of(notes);
    return out;
}

}  // namespace

void bind_relocate(nb::module_& module) {
    module.def("load_hypocentres", &load, "events"_a, "stations"_a, "centre"_a.none(),
               nb::sig("def load_hypocentres(events: str | os.PathLike[str], stations: str | "
                       "os.PathLike[str], centre: tuple[float, float] | None) -> PhasePicks"),
               "Events and stations that differences name.");
    module.def("load_differences", &load_differences, "path"_a, "events"_a, "stations"_a,
               nb::sig("def load_differences(path: str | os.PathLike[str], events: list[str], "
                       "stations: list[str]) -> dict[str, typing.Any]"),
               "Differences of hypoDD's dt.ct or dt.cc as columns, and `notes`.");
    module.def(
        "make_differences", &make_differences, "model"_a, "picks"_a, "options"_a,
        nb::sig(
            "def make_differences(model: Model, picks: dict[str, typing.Any], options: dict[str, "
            "typing.Any]) -> dict[str, typing.Any]"),
        "Differences of the picks of neighbouring events as columns, and `notes`.");
    module.def("relocate", &relocate_events, "model"_a, "s_model"_a.none(), "vp_vs"_a, "given"_a,
               "surface"_a.none(), "options"_a, "progress"_a.none(),
               nb::sig("def relocate(model: Model, s_model: Model | None, vp_vs: float, given: "
                       "dict[str, typing.Any], surface: numpy.typing.NDArray[typing.Any] | None, "
                       "options: dict[str, typing.Any], progress: object | None) -> dict[str, "
                       "typing.Any]"),
               "fermat.relocate after its arguments are checked.");
}

}  // namespace fermat::python
