#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "core/parallel.hpp"
#include "eikonal/eikonal.hpp"
#include "monitor.hpp"
#include "numpy.hpp"
#include "options.hpp"
#include "points.hpp"
#include "times/times.hpp"
#include "warn.hpp"

namespace fermat::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using FrontArray = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

/// Times and, on request, the components of their gradient.
template <class Real>
struct SolvedField {
    Field<Real> times;
    std::vector<Field<Real>> gradient;
};

template <class Real>
SolvedField<Real> finished(ArrivalField&& field, bool gradient, int threads) {
    SolvedField<Real> solved;
    if (gradient) {
        for (Field<Real>& component : field.gradient_on_nodes<Real>(threads)) {
            if (!component.empty()) solved.gradient.push_back(std::move(component));
        }
    }
    solved.times = std::move(field).take_nodes<Real>(threads);
    return solved;
}

/// One field for a front, or one per source.
template <class Real>
nb::list solved(const Model& model, const std::vector<PointSource>& sources,
                std::optional<FieldView<const double>> front, const EikonalOptions& options,
                bool gradient, PythonMonitor& bridge) {
    Notes notes;
    std::vector<SolvedField<Real>> fields = bridge.run([&](const Execution& execution) {
        const int threads = resolve_threads(execution.threads);
        const TimeSolver solver(model, options, execution,
                                std::is_same_v<Real, float> ? Precision::single : Precision::full);
        std::vector<SolvedField<Real>> all;
        if (front) {
            all.push_back(
                finished<Real>(solver.solve_front(*front, execution, notes), gradient, threads));
            return all;
        }
        all.resize(sources.size());
        const int each =
            std::max(1, threads / static_cast<int>(std::max<std::size_t>(1, sources.size())));
        solver.for_each_field(sources, execution, [&](std::size_t n, ArrivalField&& field) {
            all[n] = finished<Real>(std::move(field), gradient, each);
        });
        solver.tell(notes);
        return all;
    });
    warn(notes);
    nb::list list;
    for (SolvedField<Real>& field : fields) {
        nb::list components;
        for (Field<Real>& component : field.gradient) {
            components.append(array_of(std::move(component)));
        }
        list.append(nb::make_tuple(array_of(std::move(field.times)), std::move(components)));
    }
    return list;
}

nb::list time_fields(const Model& model, const Points& sources, const Numbers& start_times,
                     std::optional<FrontArray> front, const std::string& solver, int order,
                     double until, bool gradient, const std::string& precision,
                     const std::string& device, int threads, nb::object progress) {
    EikonalOptions options = eikonal_options(solver, order, device);
    options.until = until;
    validate(options);
    std::optional<FieldView<const double>> given;
    if (front) {
        given.emplace(front->data(), shape_of(nb::ndarray<nb::ro>(*front), "front"));
    }
    const auto from = sources_from(sources, start_times, model.grid());
    PythonMonitor bridge(std::move(progress), threads, device);
    return parse_choice<Precision>(precision) == Precision::full
               ? solved<double>(model, from, given, options, gradient, bridge)
               : solved<float>(model, from, given, options, gradient, bridge);
}

}  // namespace

void bind_fields(nb::module_& module) {
    module.def("time_fields", &time_fields, "model"_a, "sources"_a, "start_times"_a,
               "front"_a.none(), "solver"_a, "order"_a, "until"_a, "gradient"_a, "precision"_a,
               "device"_a, "threads"_a, "progress"_a.none(),
               nb::sig("def time_fields(model: Model, sources: numpy.typing.NDArray[typing.Any], "
                       "start_times: numpy.typing.NDArray[typing.Any], front: "
                       "numpy.typing.NDArray[numpy.float64] | None, solver: str, order: int, "
                       "until: float, gradient: bool, precision: str, device: str, threads: int, "
                       "progress: object | None) -> list[tuple[numpy.typing.NDArray[typing.Any], "
                       "list[numpy.typing.NDArray[typing.Any]]]]"),
               "Fields of sources or of a front: times, and the components of their gradient.");
}

}  // namespace fermat::python
