#include <fmt/format.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "core/error.hpp"
#include "io/first_motions.hpp"
#include "io/phase_picks.hpp"
#include "location/locate_phases.hpp"
#include "monitor.hpp"
#include "options.hpp"
#include "phase_picks.hpp"
#include "points.hpp"
#include "survey/settle.hpp"
#include "survey_columns.hpp"
#include "warn.hpp"

namespace fermat::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

template <class Point>
nb::list ids_of(const std::vector<Point>& points) {
    nb::list names;
    for (const Point& point : points) names.append(text_of(point.id));
    return names;
}

/// Three numbers per point.
template <class Point>
auto places_of(const std::vector<Point>& points) {
    std::vector<double> places;
    for (const Point& point : points) {
        places.insert(places.end(), {point.position.x, point.position.y, point.position.z});
    }
    return array_from(std::move(places));
}

/// One number per item, as `value` tells it.
template <class Number, class Item, class Value>
auto column(const std::vector<Item>& items, Value value) {
    std::vector<Number> out;
    out.reserve(items.size());
    for (const Item& item : items) out.push_back(static_cast<Number>(value(item)));
    return array_from(std::move(out));
}

PhasePicks load(const std::filesystem::path& path,
                const std::optional<std::filesystem::path>& stations,
                const std::optional<std::filesystem::path>& events,
                const std::optional<std::pair<double, double>>& centre, bool later) {
    PhaseFiles files{path, stations, events, std::nullopt};
    if (centre) files.centre = GeoPoint{centre->first, centre->second};
    files.later = later;
    PhasePicks out;
    out.file = read_phase_picks(files, out.notes);
    return out;
}

/// The phases that names of catalogues stand for, as numbers.
nb::ndarray<nb::numpy, std::int32_t> phase_numbers(const std::vector<std::string>& names) {
    std::vector<std::int32_t> out;
    out.reserve(names.size());
    for (const std::string& name : names) {
        out.push_back(static_cast<std::int32_t>(phase_of_name(name)));
    }
    return array_from(std::move(out));
}

/// Each event begins no later than its first pick: its own time is not known.
Survey settled_survey(const Model& model, const nb::dict& given, Notes& notes) {
    Survey survey = survey_from(given, model.grid().origin.y);
    survey.is_2d = model.grid().is_2d();
    for (Event& at : survey.events) at.origin_time = std::numeric_limits<double>::infinity();
    for (const Arrival& arrival : survey.arrivals) {
        Event& at = survey.events[static_cast<std::size_t>(arrival.event)];
        at.origin_time = std::min(at.origin_time, arrival.time);
    }
    settle_times(
        survey, "picks", [](std::size_t n) { return fmt::format("pick {}: ", n); }, notes);
    return survey;
}

/// Columns of events by their names.
nb::dict event_columns(const Catalogue& catalogue) {
    std::vector<double> place, covariance, time, time_error, rms, gap, nearest, axes, directions,
        reach;
    std::vector<std::int32_t> picks, used;
    nb::list status, samples, densities, quality;
    for (const Hypocentre& event : catalogue.events) {
        status.append(nb::str(name_of(event.status).data(), name_of(event.status).size()));
        place.insert(place.end(), {event.position.x, event.position.y, event.position.z});
        for (const auto& row : event.covariance) {
            for (const double value : row) {
                covariance.push_back(is_located(event.status) ? value : not_known);
            }
        }
        for (std::size_t n = 0; n < 3; ++n) {
            axes.push_back(is_located(event.status) ? event.ellipsoid.deviation[n] : not_known);
            const Vec3 along = event.ellipsoid.direction[n];
            directions.insert(directions.end(), {along.x, along.y, along.z});
        }
        reach.insert(reach.end(), {event.reach.of_68, event.reach.of_95});
        time.push_back(event.origin_time);
        time_error.push_back(event.time_error);
        rms.push_back(event.rms);
        gap.push_back(event.gap);
        nearest.push_back(event.nearest);
        picks.push_back(event.picks);
        used.push_back(event.used);
        quality.append(nb::str(name_of(event.quality).data(), name_of(event.quality).size()));
        std::vector<double> drawn;
        for (const Vec3 at : event.posterior.places) {
            drawn.insert(drawn.end(), {at.x, at.y, at.z});
        }
        samples.append(array_from(std::move(drawn)));
        densities.append(array_from(std::vector<double>(event.posterior.log_density)));
    }
    nb::dict out;
    out["status"] = status;
    out["position"] = array_from(std::move(place));
    out["covariance"] = array_from(std::move(covariance));
    out["axis_deviation"] = array_from(std::move(axes));
    out["axis_direction"] = array_from(std::move(directions));
    out["reach"] = array_from(std::move(reach));
    out["origin_time"] = array_from(std::move(time));
    out["time_error"] = array_from(std::move(time_error));
    out["rms"] = array_from(std::move(rms));
    out["gap"] = array_from(std::move(gap));
    out["nearest"] = array_from(std::move(nearest));
    out["picks"] = array_from(std::move(picks));
    out["used"] = array_from(std::move(used));
    out["quality"] = quality;
    out["samples"] = samples;
    out["sample_log_density"] = densities;
    return out;
}

/// Columns of picks by their names.
nb::dict fit_columns(const Catalogue& catalogue) {
    nb::dict out;
    const auto add = [&](const char* name, double PickFit::*member) {
        std::vector<double> values;
        for (const PickFit& fit : catalogue.fits) values.push_back(fit.*member);
        out[name] = array_from(std::move(values));
    };
    add("residual", &PickFit::residual);
    add("weight", &PickFit::weight);
    add("deviation", &PickFit::deviation);
    add("travel_time", &PickFit::travel_time);
    add("distance", &PickFit::distance);
    add("azimuth", &PickFit::azimuth);
    add("ray_azimuth", &PickFit::ray_azimuth);
    add("take_off", &PickFit::take_off);
    if (catalogue.terms) add("term", &PickFit::term);
    return out;
}

/// Station terms as columns: number of the station, phase, term, and for terms that depend on the
/// place also weight and place; rows of fixed terms have no place.
nb::object term_columns(const Catalogue& catalogue) {
    if (!catalogue.terms) return nb::none();
    const DelayTerms& terms = *catalogue.terms;
    std::vector<std::int32_t> station, phase;
    std::vector<double> term, weight, place;
    const auto add = [&](std::size_t s, std::size_t p, double value, double counts, Vec3 at) {
        station.push_back(static_cast<std::int32_t>(s));
        phase.push_back(static_cast<std::int32_t>(p));
        term.push_back(value);
        weight.push_back(counts);
        place.insert(place.end(), {at.x, at.y, at.z});
    };
    for (std::size_t s = 0; s < terms.fixed.size(); ++s) {
        for (std::size_t p = 0; p < phase_count; ++p) {
            add(s, p, terms.fixed[s][p], not_known, {not_known, not_known, not_known});
            if (terms.points.empty()) continue;
            for (const TermPoint& point : terms.points[s][p]) {
                add(s, p, point.time, point.weight, point.place);
            }
        }
    }
    nb::dict out;
    out["station"] = array_from(std::move(station));
    out["phase"] = array_from(std::move(phase));
    out["term"] = array_from(std::move(term));
    out["weight"] = array_from(std::move(weight));
    out["place"] = array_from(std::move(place));
    out["radius"] = terms.radius;
    return out;
}

/// Terms as term_columns() has them.
DelayTerms terms_from(const nb::dict& given, std::size_t stations) {
    const auto station = nb::cast<Indices>(given["station"]);
    const auto phase = nb::cast<Indices>(given["phase"]);
    const auto term = nb::cast<Numbers>(given["term"]);
    const auto weight = nb::cast<Numbers>(given["weight"]);
    const auto place = nb::cast<Numbers>(given["place"]);
    DelayTerms out;
    out.fixed.assign(stations, {});
    out.radius = nb::cast<double>(given["radius"]);
    if (out.radius > 0) out.points.resize(stations);
    for (std::size_t n = 0; n < station.shape(0); ++n) {
        const auto s = static_cast<std::size_t>(station(n));
        const auto p = static_cast<std::size_t>(phase(n));
        const Vec3 at{place(3 * n), place(3 * n + 1), place(3 * n + 2)};
        if (s >= stations || p >= phase_count) continue;
        if (is_finite(at) && out.radius > 0) {
            out.points[s][p].push_back({at, term(n), weight(n)});
        } else {
            out.fixed[s][p] = term(n);
        }
    }
    out.sort_points();
    return out;
}

struct Located {
    Catalogue catalogue;
    Notes notes;
};

/// `layers` are of a layered medium, on whose grid `model` lies; `phases` are then names of the
/// phases of picks.
Located locate_events(const Model& model, const Model* s_model, double vp_vs,
                      const LayeredMedium* layers, const std::vector<std::string>& phases,
                      const nb::dict& picks, const std::optional<Points>& surface,
                      const std::optional<Points>& box, const nb::object& terms,
                      const nb::dict& keywords, nb::object progress) {
    const Keywords given(keywords);
    LocateOptions options;
    given.fill(options);
    Notes notes;
    const Medium medium = vp_vs != 0 ? Medium::of_ratio(model, vp_vs)
                          : s_model  ? Medium(model, *s_model)
                                     : Medium(model);
    const Survey survey = settled_survey(model, picks, notes);
    std::optional<Surface> ground;
    if (surface) {
        ground.emplace(model.grid().is_2d() ? Surface::Kind::line : Surface::Kind::area,
                       points_from(*surface, model.grid().origin.y));
    }
    if (box) {
        const std::vector<Vec3> corners = points_from(*box, model.grid().origin.y);
        options.box = SearchBox{corners.at(0), corners.at(1)};
    }
    if (nb::isinstance<nb::str>(terms)) {
        options.terms =
            nb::cast<std::string>(terms) == "ssst" ? TermSearch::by_place : TermSearch::fixed;
    } else if (!terms.is_none()) {
        options.given_terms = terms_from(nb::cast<nb::dict>(terms), survey.stations.size());
    }
    PythonMonitor bridge(std::move(progress), given.whole("threads", 0),
                         given.text("device", "auto"));
    Catalogue found = bridge.run([&](const Execution& execution) {
        const Surface* const top = ground ? &*ground : nullptr;
        return layers != nullptr
                   ? locate_phases(*layers, survey, phases, options, top, execution, &notes)
                   : locate(medium, survey, options, top, execution, &notes);
    });
    return {std::move(found), std::move(notes)};
}

nb::list write_motions(const std::filesystem::path& path, const std::string& format,
                       const nb::dict& events, const nb::dict& motions, double angle_error) {
    FirstMotions out;
    const auto ids = nb::cast<std::vector<std::string>>(events["event"]);
    const auto number = [](const nb::dict& table, const char* name, std::size_t n) {
        const auto column = nb::cast<Numbers>(table[name]);
        require_rows(column.shape(0), n, name);
        return column;
    };
    const auto time = number(events, "origin_time", ids.size());
    const auto longitude = number(events, "longitude", ids.size());
    const auto latitude = number(events, "latitude", ids.size());
    const auto depth = number(events, "depth", ids.size());
    for (std::size_t n = 0; n < ids.size(); ++n) {
        MotionEvent event{ids[n], time(n), {longitude(n), latitude(n)}, depth(n)};
        out.events.push_back(std::move(event));
    }
    const auto stations = nb::cast<std::vector<std::string>>(motions["station"]);
    const auto event = nb::cast<Indices>(motions["event"]);
    require_rows(event.shape(0), stations.size(), "event");
    const auto polarity = number(motions, "polarity", stations.size());
    const auto azimuth = number(motions, "azimuth", stations.size());
    const auto take_off = number(motions, "take_off", stations.size());
    const auto distance = number(motions, "distance", stations.size());
    for (std::size_t n = 0; n < stations.size(); ++n) {
        const auto of = static_cast<std::size_t>(event(n));
        if (of >= ids.size()) throw InputError("a first motion names an event that is not there");
        out.motions.push_back({of, stations[n], static_cast<Polarity>(polarity(n) > 0 ? 1 : -1),
                               azimuth(n), take_off(n), distance(n)});
    }
    Notes notes;
    write_first_motions(path, parse_choice<MotionFormat>(format), out, angle_error, notes);
    return sentences_of(notes);
}

/// Columns of arrivals, and ids and places of their events and stations.
void bind_phase_picks(nb::module_& module) {
    using Picks = const PhasePicks&;
    nb::class_<PhasePicks> type(
        module, "PhasePicks",
        "What a file of arrivals holds, as columns; places have three numbers, and errors, first "
        "motions and names of phases are empty where they are not there.");
    const auto array = [&](const char* name, auto of) {
        type.def_prop_ro(name, of, nb::rv_policy::automatic);  // the array owns its numbers
    };
    const auto of_arrivals = [&](const char* name, auto member) {
        array(name, [member](Picks p) {
            using Number = std::conditional_t<std::is_same_v<decltype(member), double Arrival::*>,
                                              double, std::int32_t>;
            return column<Number>(p.survey().arrivals,
                                  [member](const Arrival& a) { return a.*member; });
        });
    };
    array("event_places", [](Picks p) { return places_of(p.survey().events); });
    array("station_places", [](Picks p) { return places_of(p.survey().stations); });
    array("origin_time", [](Picks p) {
        return column<double>(p.survey().events, [](const Event& at) { return at.origin_time; });
    });
    of_arrivals("event", &Arrival::event);
    of_arrivals("station", &Arrival::station);
    of_arrivals("phase", &Arrival::phase);
    of_arrivals("time", &Arrival::time);
    array("error", [](Picks p) {
        const std::vector<Arrival> none;
        return column<double>(p.survey().has_errors ? p.survey().arrivals : none,
                              [](const Arrival& a) { return a.error; });
    });
    array("polarity", [](Picks p) {
        return column<std::int32_t>(p.file.polarities, [](auto motion) { return motion; });
    });
    type.def_prop_ro(
            "event_ids", [](Picks p) { return ids_of(p.survey().events); },
            nb::sig("def event_ids(self) -> list[str]"))
        .def_prop_ro(
            "station_ids", [](Picks p) { return ids_of(p.survey().stations); },
            nb::sig("def station_ids(self) -> list[str]"))
        .def_prop_ro("names", [](Picks p) { return p.file.phases; })
        .def_prop_ro("is_2d", [](Picks p) { return p.survey().is_2d; })
        .def_prop_ro(
            "plane", [](Picks p) { return p.file.plane ? to_text(*p.file.plane) : std::string(); },
            "The plane of x and y as text; empty without one.")
        .def_prop_ro(
            "notes", [](Picks p) { return sentences_of(p.notes); },
            nb::sig("def notes(self) -> list[str]"));
}

void bind_located(nb::module_& module) {
    nb::class_<Located>(module, "Located", "What locate found; see fermat.Catalogue.")
        .def_prop_ro(
            "events", [](const Located& l) { return event_columns(l.catalogue); },
            nb::sig("def events(self) -> dict[str, typing.Any]"))
        .def_prop_ro(
            "fits", [](const Located& l) { return fit_columns(l.catalogue); },
            nb::sig("def fits(self) -> dict[str, typing.Any]"))
        .def_prop_ro(
            "model_error",
            [](const Located& l) {
                const auto size = l.catalogue.errors.typical();
                return std::make_pair(size[0], size[1]);
            },
            "Deviations of computed times of P and of S.")
        .def_prop_ro("error_length", [](const Located& l) { return l.catalogue.errors.length; })
        .def_prop_ro(
            "terms", [](const Located& l) { return term_columns(l.catalogue); },
            nb::sig("def terms(self) -> dict[str, typing.Any] | None"))
        .def_prop_ro(
            "notes", [](const Located& l) { return sentences_of(l.notes); },
            nb::sig("def notes(self) -> list[str]"));
}

}  // namespace

void bind_locate(nb::module_& module) {
    bind_phase_picks(module);
    bind_located(module);
    module.def(
        "is_phase_file", [](const std::filesystem::path& path) { return needs_stations(path); },
        "path"_a, nb::sig("def is_phase_file(path: str | os.PathLike[str]) -> bool"),
        "Whether a file of picks has no places of stations.");
    module.def("load_phase_picks", &load, "path"_a, "stations"_a.none(), "events"_a.none(),
               "centre"_a.none(), "later"_a,
               nb::sig("def load_phase_picks(path: str | os.PathLike[str], stations: str | "
                       "os.PathLike[str] | None, events: str | os.PathLike[str] | None, centre: "
                       "tuple[float, float] | None, later: bool) -> PhasePicks"),
               "Arrivals of events whose places may not be known.");
    module.def("phase_numbers", &phase_numbers, "names"_a,
               nb::sig("def phase_numbers(names: list[str]) -> "
                       "numpy.typing.NDArray[numpy.int32]"),
               "0 for names of P, 1 for names of S; other phases are refused.");
    module.def(
        "locate", &locate_events, "model"_a, "s_model"_a.none(), "vp_vs"_a, "layers"_a.none(),
        "phases"_a, "picks"_a, "surface"_a.none(), "box"_a.none(), "terms"_a.none(), "options"_a,
        "progress"_a.none(),
        nb::sig("def locate(model: Model, s_model: Model | None, vp_vs: float, layers: "
                "LayeredMedium | None, phases: list[str], picks: dict[str, typing.Any], surface: "
                "numpy.typing.NDArray[typing.Any] | None, "
                "box: numpy.typing.NDArray[typing.Any] | None, terms: object, options: dict[str, "
                "typing.Any], progress: object | None) -> Located"),
        "fermat.locate after its arguments are checked.");
    module.def(
        "write_first_motions", &write_motions, "path"_a, "output_format"_a, "events"_a, "motions"_a,
        "angle_error"_a,
        nb::sig("def write_first_motions(path: str | os.PathLike[str], output_format: str, events: "
                "dict[str, typing.Any], motions: dict[str, typing.Any], angle_error: float) -> "
                "list[str]"),
        "fermat.save_first_motions after its arguments are checked.");
}

}  // namespace fermat::python
