#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "eikonal/adjoint/front_adjoint.hpp"
#include "eikonal/adjoint/source_tangent.hpp"
#include "found_gradient.hpp"
#include "monitor.hpp"
#include "numpy.hpp"
#include "options.hpp"
#include "points.hpp"
#include "warn.hpp"

namespace fermat::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Values = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

nb::tuple amplitudes(const Model& model, const Points& source, const Numbers& start_time, int order,
                     int threads, nb::object progress) {
    require_plain(model, "the computation of amplitudes");
    PythonMonitor bridge(std::move(progress), threads, "cpu");
    RayAmplitudes found = bridge.run([&](const Execution& execution) {
        const AdjointSurvey survey(model, {}, sources_from(source, start_time, model.grid()), {},
                                   {Solver::fim, order});
        return ray_amplitudes(survey, 0, execution);
    });
    const bool flat = model.grid().is_2d();
    return nb::make_tuple(array_of(std::move(found.times)), array_of(std::move(found.spreading)),
                          rows_of(found.takeoff, flat));
}

FoundGradient front_gradient(const Model& model, const Values& front, const Points& receivers,
                             const std::optional<Values>& by_nodes,
                             const std::optional<Values>& by_receivers, const std::string& solver,
                             int order, int threads, nb::object progress) {
    require_plain(model, "the adjoint of a front");
    PythonMonitor bridge(std::move(progress), threads, "cpu");
    Notes notes;
    FrontGradient found = bridge.run([&](const Execution& execution) {
        TimeDerivatives by;
        if (by_nodes) by.nodes = {by_nodes->data(), model.grid().shape};
        if (by_receivers) by.receivers = {by_receivers->data(), by_receivers->size()};
        return front_adjoint(model, {front.data(), model.grid().shape},
                             points_from(receivers, model.grid().origin.y), by,
                             {parse_choice<Solver>(solver), order}, execution, notes);
    });
    FoundGradient out;
    out.slowness = nb::cast(array_of(std::move(found.slowness)));
    out.sources = nb::none();
    out.start_times = nb::cast(array_of(std::move(found.times)));
    out.receivers = nb::cast(rows_of(found.receivers, model.grid().is_2d()));
    out.unsettled = found.unsettled;
    out.notes = sentences_of(notes);
    return out;
}

}  // namespace

void bind_amplitudes(nb::module_& module) {
    module.def(
        "slowness_at",
        [](const Model& model, const Points& points) {
            std::vector<double> out;
            for (const Vec3 point : points_from(points, model.grid().origin.y)) {
                out.push_back(slowness_at(model, model.place().inside(point, "point")));
            }
            return array_from(std::move(out));
        },
        "model"_a, "points"_a,
        nb::sig("def slowness_at(model: Model, points: numpy.typing.NDArray[typing.Any]) -> "
                "numpy.typing.NDArray[numpy.float64]"),
        "Slowness at points, as it is interpolated.");
    module.def("amplitudes", &amplitudes, "model"_a, "source"_a, "start_time"_a, "order"_a,
               "threads"_a, "progress"_a.none(),
               nb::sig("def amplitudes(model: Model, source: numpy.typing.NDArray[typing.Any], "
                       "start_time: numpy.typing.NDArray[typing.Any], order: int, threads: int, "
                       "progress: object | None) -> tuple[numpy.typing.NDArray[numpy.float64], "
                       "numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]"),
               "Times, spreading and take-off directions on the nodes; see fermat.amplitudes.");
    module.def("front_gradient", &front_gradient, "model"_a, "front"_a, "receivers"_a,
               "by_nodes"_a.none(), "by_receivers"_a.none(), "solver"_a, "order"_a, "threads"_a,
               "progress"_a.none(),
               nb::sig("def front_gradient(model: Model, front: "
                       "numpy.typing.NDArray[numpy.float64], receivers: "
                       "numpy.typing.NDArray[typing.Any], by_nodes: "
                       "numpy.typing.NDArray[numpy.float64] | None, by_receivers: "
                       "numpy.typing.NDArray[numpy.float64] | None, solver: str, order: int, "
                       "threads: int, progress: object | None) -> FoundGradient"),
               "dJ from dJ/dT at nodes and receivers; start times are those of the front's nodes.");
}

}  // namespace fermat::python
