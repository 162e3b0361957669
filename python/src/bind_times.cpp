#include <fmt/format.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "bindings.hpp"
#include "core/error.hpp"
#include "eikonal/eikonal.hpp"
#include "monitor.hpp"
#include "numpy.hpp"
#include "options.hpp"
#include "points.hpp"
#include "survey/above_ground.hpp"
#include "times/times.hpp"
#include "warn.hpp"

namespace fermat::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

struct Job {
    const Model& model;
    std::vector<PointSource> sources;
    TimeMethod method;
    Precision precision = Precision::single;
};

template <class Real>
nb::object earliest(const Job& job, PythonMonitor& bridge) {
    Notes notes;
    auto times = bridge.run([&](const Execution& execution) {
        const TimeSolver solver(job.model, job.method, execution, job.precision);
        auto found = solver.first_arrivals<Real>(job.sources, execution);
        notes = solver.notes();
        return found;
    });
    warn(notes);
    return nb::cast(array_of(std::move(times)));
}

template <class Real>
void each_field(const Job& job, const Execution& execution, Real* out, Notes& notes) {
    const Shape shape = job.model.grid().shape;
    const TimeSolver solver(job.model, job.method, execution, job.precision);
    solver.for_each_field(job.sources, execution, [&](std::size_t number, ArrivalField&& field) {
        field.write_nodes(FieldView<Real>{out + number * shape.count(), shape});
    });
    notes = solver.notes();
}

template <class Real>
std::unique_ptr<Real[]> allocate(std::size_t fields, Shape shape) {
    try {
        return std::unique_ptr<Real[]>(new Real[fields * shape.count()]);
    } catch (const std::bad_alloc&) {
        const double bytes = static_cast<double>(sizeof(Real) * shape.count());
        throw ComputeError(fmt::format(
            "{} time fields of shape {} do not fit in memory ({:.1f} GB are needed; solve fewer "
            "sources at a time, or use receiver_times)",
            fields, to_string(shape), 1e-9 * bytes * static_cast<double>(fields)));
    }
}

/// The shape (n, nx, ny, nz), or (n, nx, nz) in 2-D.
template <class Real>
nb::object stacked(std::unique_ptr<Real[]> memory, std::size_t fields, Shape shape) {
    Real* const data = memory.release();
    const nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<Real*>(p); });
    std::vector<std::size_t> sizes{fields, static_cast<std::size_t>(shape.x)};
    if (shape.y != 1) sizes.push_back(static_cast<std::size_t>(shape.y));
    sizes.push_back(static_cast<std::size_t>(shape.z));
    return nb::cast(nb::ndarray<nb::numpy, Real>(data, sizes.size(), sizes.data(), owner));
}

template <class Real>
nb::object one_each(const Job& job, PythonMonitor& bridge) {
    const Shape shape = job.model.grid().shape;
    std::unique_ptr<Real[]> memory = allocate<Real>(job.sources.size(), shape);
    Notes notes;
    bridge.run(
        [&](const Execution& execution) { each_field(job, execution, memory.get(), notes); });
    warn(notes);
    return stacked(std::move(memory), job.sources.size(), shape);
}

template <class Real>
nb::object fields(const Job& job, bool together, PythonMonitor& bridge) {
    return together ? earliest<Real>(job, bridge) : one_each<Real>(job, bridge);
}

TimeMethod method_of(const std::string& solver, const Keywords& given, const std::string& device) {
    if (is_graph_solver(solver)) return graph_options(solver, given, device);
    return eikonal_options(solver, given.whole("order", 2), device);
}

Precision precision_of(const std::string& solver, const Keywords& given) {
    const auto precision = parse_choice<Precision>(given.text("precision", "single"));
    if (is_graph_solver(solver) && precision == Precision::full) {
        throw InputError(
            fmt::format("precision is 'double' (solver '{}' computes in single)", solver));
    }
    return precision;
}

nb::object traveltimes(const Model& model, const Points& sources, const Numbers& start_times,
                       bool together, const nb::dict& options, nb::object progress) {
    const Keywords given(options);
    const std::string solver = given.text("solver", "fim");
    const std::string device = given.text("device", "auto");
    const Precision precision = precision_of(solver, given);
    PythonMonitor bridge(std::move(progress), given.whole("threads", 0), device);
    const Job job{model, sources_from(sources, start_times, model.grid()),
                  method_of(solver, given, device), precision};
    return job.precision == Precision::full ? fields<double>(job, together, bridge)
                                            : fields<float>(job, together, bridge);
}

DoubleArray times_at_receivers(const Model& model, const Points& sources,
                               const Numbers& start_times, const Points& receivers,
                               const nb::dict& options, nb::object progress) {
    const Keywords given(options);
    const std::string solver = given.text("solver", "fim");
    const std::string device = given.text("device", "auto");
    const Grid& grid = model.grid();
    const std::vector<PointSource> from = sources_from(sources, start_times, grid);
    const std::vector<Vec3> to = points_from(receivers, grid.origin.y);
    PythonMonitor bridge(std::move(progress), given.whole("threads", 0), device);
    const TimeMethod method = method_of(solver, given, device);
    const Precision precision = precision_of(solver, given);
    Notes notes;
    std::vector<double> times = bridge.run([&](const Execution& execution) {
        const TimeSolver door(model, method, execution, precision);
        std::vector<double> found = door.receiver_times(from, to, execution);
        notes = door.notes();
        return found;
    });
    warn(notes);
    return array_from(std::move(times));
}

nb::list above_ground(const Model& model, const Points& points, const std::string& what) {
    Notes notes;
    if (model.mapping().follows_ground()) {
        note_above_ground(model, points_from(points, model.grid().origin.y), what, notes);
    }
    return sentences_of(notes);
}

}  // namespace

void bind_times(nb::module_& module) {
    module.def("traveltimes", &traveltimes, "model"_a, "sources"_a, "start_times"_a, "together"_a,
               "options"_a, "progress"_a.none(),
               nb::sig("def traveltimes(model: Model, sources: numpy.typing.NDArray[typing.Any], "
                       "start_times: numpy.typing.NDArray[typing.Any], together: bool, options: "
                       "dict[str, typing.Any], progress: object | None) -> "
                       "numpy.typing.NDArray[typing.Any]"),
               "fermat.traveltimes after its arguments are checked.");
    module.def("above_ground", &above_ground, "model"_a, "points"_a, "what"_a,
               nb::sig("def above_ground(model: Model, points: numpy.typing.NDArray[typing.Any], "
                       "what: str) -> list[str]"),
               "What is to be told of points above the ground of a model that follows it.");
    module.def("receiver_times", &times_at_receivers, "model"_a, "sources"_a, "start_times"_a,
               "receivers"_a, "options"_a, "progress"_a.none(),
               nb::sig("def receiver_times(model: Model, sources: "
                       "numpy.typing.NDArray[typing.Any], start_times: "
                       "numpy.typing.NDArray[typing.Any], receivers: "
                       "numpy.typing.NDArray[typing.Any], options: dict[str, typing.Any], "
                       "progress: object | None) -> numpy.typing.NDArray[numpy.float64]"),
               "fermat.receiver_times after its arguments are checked: [source][receiver], flat.");
}

}  // namespace fermat::python
