#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <utility>

#include "bindings.hpp"
#include "monitor.hpp"
#include "options.hpp"
#include "points.hpp"
#include "tomography/layers/invert_layers.hpp"

namespace fermat::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Indices = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// One pick per entry of `events`.
PhasePicks picks_from(const Grid& grid, const Points& sources, const Points& receivers,
                      const Indices& events, const Indices& stations, const Numbers& times,
                      const Numbers& errors, const std::vector<std::string>& phases,
                      const Indices& phase_of) {
    PhasePicks picks;
    for (const Vec3& p : points_from(sources, grid.origin.y)) picks.survey.events.push_back({p});
    for (const Vec3& p : points_from(receivers, grid.origin.y)) {
        picks.survey.stations.push_back({p});
    }
    for (std::size_t n = 0; n < events.shape(0); ++n) {
        picks.survey.arrivals.push_back(
            {events.data()[n], stations.data()[n], times.data()[n], errors.data()[n], Phase::P});
        picks.phase_of.push_back(phase_of.data()[n]);
    }
    picks.survey.has_errors = true;
    picks.survey.is_2d = grid.is_2d();
    picks.phases = phases;
    return picks;
}

LayerInversion run(const LayeredMedium& medium, const Points& sources, const Points& receivers,
                   const Indices& events, const Indices& stations, const Numbers& times,
                   const Numbers& errors, const std::vector<std::string>& phases,
                   const Indices& phase_of, const nb::dict& keywords, nb::object progress) {
    const Keywords given(keywords);
    LayerInversionOptions options;
    given.fill(options.loop);
    given.fill(options.prior);
    given.fill(options.rays);
    const PhasePicks picks = picks_from(medium.grid(), sources, receivers, events, stations, times,
                                        errors, phases, phase_of);
    PythonMonitor bridge(std::move(progress), given.whole("threads", 0), "cpu");
    return bridge.run([&](const Execution& execution) {
        return invert_layers(medium, picks, options, execution);
    });
}

}  // namespace

void bind_layers(nb::module_& module) {
    nb::class_<LayerDeviation>(module, "LayerDeviation")
        .def_ro("of", &LayerDeviation::of)
        .def_ro("prior", &LayerDeviation::prior)
        .def("points", [](const LayerDeviation& found) { return rows_of(found.points, false); })
        .def("change", [](const LayerDeviation& found) { return array_from(found.change); })
        .def("deviation", [](const LayerDeviation& found) { return array_from(found.deviation); });
    nb::class_<LayerInversion>(module, "LayerInversion")
        .def_ro("medium", &LayerInversion::medium)
        .def_ro("deviations", &LayerInversion::deviations)
        .def_ro("statuses", &LayerInversion::statuses)
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
        "invert_layers", &run, "medium"_a, "sources"_a, "receivers"_a, "events"_a, "stations"_a,
        "times"_a, "errors"_a, "phases"_a, "phase_of"_a, "keywords"_a, "progress"_a.none(),
        nb::sig("def invert_layers(medium: LayeredMedium, sources: NDArray[numpy.float64], "
                "receivers: NDArray[numpy.float64], events: NDArray[numpy.int32], stations: "
                "NDArray[numpy.int32], times: NDArray[numpy.float64], errors: "
                "NDArray[numpy.float64], phases: Sequence[str], phase_of: "
                "NDArray[numpy.int32], keywords: dict[str, object], progress: object | None) "
                "-> LayerInversion"));
}

}  // namespace fermat::python
