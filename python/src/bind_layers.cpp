#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <utility>

#include "bindings.hpp"
#include "keywords.hpp"
#include "monitor.hpp"
#include "options.hpp"
#include "points.hpp"
#include "tomography/layers/first_layers.hpp"
#include "tomography/layers/invert_layers.hpp"
#include "tomography/layers/refraction_layers.hpp"

namespace fermat::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Indices = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// One pick per entry of `events`. In 2-D, y is that of the grid.
PhasePicks picks_from(double y, bool is_2d, const Points& sources, const Numbers& origin_times,
                      const Points& receivers, const Indices& events, const Indices& stations,
                      const Numbers& times, const Numbers& errors,
                      const std::vector<std::string>& phases, const Indices& phase_of) {
    PhasePicks picks;
    std::size_t number = 0;
    for (const Vec3& p : points_from(sources, y)) {
        picks.survey.events.push_back({p, origin_times.data()[number++]});
    }
    for (const Vec3& p : points_from(receivers, y)) picks.survey.stations.push_back({p});
    for (std::size_t n = 0; n < events.shape(0); ++n) {
        picks.survey.arrivals.push_back(
            {events.data()[n], stations.data()[n], times.data()[n], errors.data()[n], Phase::P});
        picks.phase_of.push_back(phase_of.data()[n]);
    }
    picks.survey.has_errors = true;
    picks.survey.is_2d = is_2d;
    picks.phases = phases;
    return picks;
}

using BlockRows = std::vector<std::tuple<std::string, double, double>>;
using DepthRows = std::vector<std::tuple<std::string, double, double, double, double>>;

LayerInversion run(const LayeredMedium& medium, const Points& sources, const Numbers& origin_times,
                   const Points& receivers, const Indices& events, const Indices& stations,
                   const Numbers& times, const Numbers& errors,
                   const std::vector<std::string>& phases, const Indices& phase_of,
                   const BlockRows& blocks, const DepthRows& depths, const nb::dict& keywords,
                   nb::object progress) {
    const Keywords given(keywords);
    LayerInversionOptions options;
    given.fill(options.loop);
    given.fill(options.prior);
    given.fill(options.rays);
    for (const auto& [of, deviation, length] : blocks) {
        options.prior.blocks.push_back({of, deviation, length});
    }
    const Grid& grid = medium.grid();
    for (const auto& [of, x, y, depth, error] : depths) {
        options.prior.depths.push_back({of, {x, grid.is_2d() ? grid.origin.y : y, depth}, error});
    }
    const PhasePicks picks =
        picks_from(grid.origin.y, grid.is_2d(), sources, origin_times, receivers, events, stations,
                   times, errors, phases, phase_of);
    PythonMonitor bridge(std::move(progress), given.whole("threads", 0), "cpu");
    return bridge.run([&](const Execution& execution) {
        return invert_layers(medium, picks, options, execution);
    });
}

/// Layers by the names of phases, or, where `layers` is not 0, that many of a refraction line; what
/// is known of the interfaces of the latter and the length of velocities; and what was chosen.
std::tuple<LayeredMedium, BlockRows, double, std::vector<std::string>> layers_from(
    const Points& sources, const Numbers& origin_times, const Points& receivers,
    const Indices& events, const Indices& stations, const Numbers& times, const Numbers& errors,
    const std::vector<std::string>& phases, const Indices& phase_of, double spacing, double depth,
    int layers) {
    const PhasePicks picks = picks_from(0, sources.shape(1) == 2, sources, origin_times, receivers,
                                        events, stations, times, errors, phases, phase_of);
    const auto made = [](auto&& found, BlockRows rows, double length) {
        for (std::string& sentence : found.choices) sentence = with_keywords(sentence);
        return std::tuple(std::move(found.medium), std::move(rows), length,
                          std::move(found.choices));
    };
    if (layers == 0) return made(first_layers(picks, {spacing, depth}), {}, 0);
    RefractionLayers found = refraction_layers(picks.survey, layers, {spacing, depth});
    BlockRows rows;
    for (const BlockPrior& block : found.blocks) {
        rows.emplace_back(block.of, block.deviation, block.length);
    }
    const double length = found.velocity_length;
    return made(std::move(found), std::move(rows), length);
}

/// Places, origin times and their shifts, one row per event.
nb::object events_of(const LayerInversion& it) {
    std::vector<double> rows;
    for (const JointEvent& event : it.run.events) {
        for (const double value :
             {event.position.x, event.position.y, event.position.z, event.origin_time,
              event.error.x, event.error.y, event.error.z, event.time_error}) {
            rows.push_back(value);
        }
    }
    return nb::cast(array_from(std::move(rows)));
}

}  // namespace

void bind_layers(nb::module_& module) {
    nb::class_<LayerDeviation>(module, "LayerDeviation")
        .def_ro("of", &LayerDeviation::of)
        .def_ro("prior", &LayerDeviation::prior)
        .def("points", [](const LayerDeviation& found) { return rows_of(found.points, false); })
        .def("change", [](const LayerDeviation& found) { return array_from(found.change); })
        .def("deviation", [](const LayerDeviation& found) { return array_from(found.deviation); })
        .def("resolution", [](const LayerDeviation& found) { return array_from(found.resolution); })
        .def("trade_off", [](const LayerDeviation& found) { return array_from(found.trade_off); });
    nb::class_<LayerInversion>(module, "LayerInversion")
        .def_ro("medium", &LayerInversion::medium)
        .def_ro("deviations", &LayerInversion::deviations)
        .def_ro("statuses", &LayerInversion::statuses)
        .def("events", &events_of)
        .def("depth_residuals",
             [](const LayerInversion& it) { return array_from(it.depth_residual); })
        .def("residuals",
             [](const LayerInversion& it) { return array_from(it.run.final_residual); })
        .def("initial_residuals",
             [](const LayerInversion& it) { return array_from(it.run.initial_residual); })
        .def("used",
             [](const LayerInversion& it) {
                 std::vector<std::uint8_t> out;
                 for (const PickUse use : it.run.final_use) {
                     out.push_back(use == PickUse::used ? 1 : 0);
                 }
                 return array_from(std::move(out));
             })
        .def("chi2",
             [](const LayerInversion& it) {
                 std::vector<double> out;
                 for (const IterationReport& report : it.run.history) {
                     out.push_back(report.misfit.chi2);
                 }
                 return array_from(std::move(out));
             })
        .def("reason",
             [](const LayerInversion& it) { return std::string(name_of(it.run.reason)); });
    module.def(
        "invert_layers", &run, "medium"_a, "sources"_a, "origin_times"_a, "receivers"_a, "events"_a,
        "stations"_a, "times"_a, "errors"_a, "phases"_a, "phase_of"_a, "blocks"_a, "depths"_a,
        "keywords"_a, "progress"_a.none(),
        nb::sig("def invert_layers(medium: LayeredMedium, sources: NDArray[numpy.float64], "
                "origin_times: NDArray[numpy.float64], receivers: NDArray[numpy.float64], events: "
                "NDArray[numpy.int32], stations: NDArray[numpy.int32], times: "
                "NDArray[numpy.float64], errors: NDArray[numpy.float64], phases: Sequence[str], "
                "phase_of: NDArray[numpy.int32], blocks: Sequence[tuple[str, float, float]], "
                "depths: Sequence[tuple[str, float, float, float, float]], keywords: dict[str, "
                "object], progress: object | None) -> LayerInversion"));
    module.def(
        "first_layers", &layers_from, "sources"_a, "origin_times"_a, "receivers"_a, "events"_a,
        "stations"_a, "times"_a, "errors"_a, "phases"_a, "phase_of"_a, "spacing"_a, "depth"_a,
        "layers"_a,
        nb::sig("def first_layers(sources: NDArray[numpy.float64], origin_times: "
                "NDArray[numpy.float64], receivers: NDArray[numpy.float64], events: "
                "NDArray[numpy.int32], stations: NDArray[numpy.int32], times: "
                "NDArray[numpy.float64], errors: NDArray[numpy.float64], phases: Sequence[str], "
                "phase_of: NDArray[numpy.int32], spacing: float, depth: float, layers: int) -> "
                "tuple[LayeredMedium, list[tuple[str, float, float]], float, list[str]]"));
}

}  // namespace fermat::python
