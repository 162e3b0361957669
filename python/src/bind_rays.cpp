#include <fmt/format.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>

#include "bindings.hpp"
#include "core/error.hpp"
#include "io/suffix.hpp"
#include "io/vector_coverage.hpp"
#include "io/vtkhdf_rays.hpp"
#include "monitor.hpp"
#include "numpy.hpp"
#include "options.hpp"
#include "points.hpp"
#include "rays/anisotropy_rows.hpp"
#include "rays/integrate.hpp"
#include "rays/rays.hpp"
#include "rays/sensitivity.hpp"
#include "warn.hpp"

namespace fermat::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Free = nb::call_guard<nb::gil_scoped_release>;
using Pairs = nb::ndarray<const std::int32_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;

std::vector<RayPair> pairs_from(const Pairs& pairs) {
    std::vector<RayPair> list(pairs.shape(0));
    for (std::size_t n = 0; n < list.size(); ++n) {
        list[n] = {pairs.data()[2 * n], pairs.data()[2 * n + 1]};
    }
    return list;
}

/// A view of one member of RayInfo for all rays; its stride leads from ray to ray.
template <class T>
nb::ndarray<nb::numpy, const T> column(const RaySet& set, const T RayInfo::*member,
                                       nb::handle owner) {
    static_assert(sizeof(RayInfo) % sizeof(T) == 0);
    const T* first = set.rays.empty() ? nullptr : &(set.rays.front().*member);
    return nb::ndarray<nb::numpy, const T>(
        first, {set.size()}, owner, {static_cast<std::int64_t>(sizeof(RayInfo) / sizeof(T))});
}

nb::ndarray<nb::numpy, const std::uint8_t> status_column(const RaySet& set, nb::handle owner) {
    static_assert(sizeof(RayStatus) == 1);
    const void* first = set.rays.empty() ? nullptr : &set.rays.front().status;
    return nb::ndarray<nb::numpy, const std::uint8_t>(static_cast<const std::uint8_t*>(first),
                                                      {set.size()}, owner,
                                                      {static_cast<std::int64_t>(sizeof(RayInfo))});
}

RaySet trace(const Model& model, const Points& sources, const Numbers& start_times,
             const Points& receivers, nb::object pairs, const nb::dict& keywords,
             nb::object progress) {
    const Keywords given(keywords);
    const std::string solver = given.text("solver", "fim");
    const std::string device = given.text("device", "auto");
    const Grid& grid = model.grid();
    const std::vector<PointSource> from = sources_from(sources, start_times, grid);
    const std::vector<Vec3> to = points_from(receivers, grid.origin.y);
    RayOptions options;
    given.fill(options);
    const bool on_graph = options.tracer == Tracer::graph;
    if (is_graph_solver(solver) && !on_graph && options.tracer != Tracer::bending) {
        throw InputError(
            fmt::format("solver '{}' makes no field for tracer '{}' (use tracer 'graph')", solver,
                        name_of(options.tracer)));
    }
    options.eikonal =
        eikonal_options(is_graph_solver(solver) ? "fim" : solver, given.whole("order", 2), device);
    options.graph = graph_options(solver, given, on_graph ? device : "cpu");
    const std::vector<RayPair> which =
        pairs.is_none() ? all_pairs(from.size(), to.size()) : pairs_from(nb::cast<Pairs>(pairs));
    PythonMonitor bridge(std::move(progress), given.whole("threads", 0), device);
    Notes notes;
    RaySet rays = bridge.run([&](const Execution& execution) {
        return trace_rays(model, survey_of(from, to, which), options, execution, &notes);
    });
    warn(notes);
    return rays;
}

nb::tuple sensitivity_rows(const Model& model, const RaySet& rays, const std::string& basis,
                           int threads) {
    SparseRows rows;
    {
        const Basis columns = parse_choice<Basis>(basis);
        const nb::gil_scoped_release release;
        rows = sensitivity(model, rays, columns, threads);
    }
    return nb::make_tuple(array_from(std::move(rows.value)), array_from(std::move(rows.column)),
                          array_from(std::move(rows.row_start)), rows.columns);
}

nb::tuple anisotropy_rows(const Model& model, const RaySet& rays, const std::string& parameter,
                          int threads) {
    SparseRows rows;
    {
        const auto wanted = parse_choice<AnisotropyParameter>(parameter);
        const nb::gil_scoped_release release;
        rows = anisotropy_sensitivity(model, rays, wanted, threads);
    }
    return nb::make_tuple(array_from(std::move(rows.value)), array_from(std::move(rows.column)),
                          array_from(std::move(rows.row_start)), rows.columns);
}

nb::tuple coverage_cells(const Model& model, const RaySet& rays, int threads) {
    Coverage cover;
    {
        const nb::gil_scoped_release release;
        cover = coverage(model, rays, threads);
    }
    return nb::make_tuple(array_of(std::move(cover.count)), array_of(std::move(cover.length)));
}

void save(const RaySet& rays, const std::filesystem::path& path) {
    const std::string suffix = suffix_of(path);
    if (suffix != ".h5" && suffix != ".hdf5" && suffix != ".hdf" && suffix != ".vtkhdf") {
        throw InputError(fmt::format("cannot write '{}' (rays are written as .h5)", path.string()));
    }
    write_rays(path, rays);
}

void save_vector_coverage(const RaySet& rays, const std::filesystem::path& path,
                          const Numbers& pick_times) {
    const nb::gil_scoped_release release;
    VectorCoverageWriter file(path);
    file.append(rays, {pick_times.data(), pick_times.shape(0)});
    file.commit();
}

/// The rays, the pick time of each, and notes of the reader.
nb::tuple load_vector_coverage(const Model& model, const std::filesystem::path& path) {
    Notes notes;
    VectorCoverage read;
    {
        const nb::gil_scoped_release release;
        read = read_vector_coverage(path, notes);
        try {
            integrate_rays(model, read.rays);
        } catch (const InputError& error) {
            throw InputError(fmt::format("'{}': {}", path.string(), error.what()));
        }
    }
    return nb::make_tuple(std::move(read.rays), array_from(std::move(read.pick_times)),
                          sentences_of(notes));
}

nb::list status_names() {
    nb::list names;
    for (const auto& [name, value] : choices<RayStatus>.entries) {
        names.append(nb::str(name.data(), name.size()));
    }
    return names;
}

void bind_ray_set(nb::module_& module) {
    nb::class_<RaySet> type(module, "RaySet", "Rays in flat memory; fermat.Rays shows them.");
    type.def("__len__", &RaySet::size);
    type.def(
        "points",
        [](nb::handle_t<RaySet> self, bool is_2d) {
            return columns_of(nb::cast<const RaySet&>(self).points, is_2d, self);
        },
        "is_2d"_a, nb::sig("def points(self, is_2d: bool) -> numpy.typing.NDArray[numpy.float64]"));
    type.def_prop_ro(
        "offsets",
        [](nb::handle_t<RaySet> self) {
            const auto& first = nb::cast<const RaySet&>(self).first_point;
            return nb::ndarray<nb::numpy, const std::int64_t>(first.data(), {first.size()}, self);
        },
        nb::sig("def offsets(self) -> numpy.typing.NDArray[numpy.int64]"));
    const auto add = [&](const char* name, auto member, const char* signature) {
        type.def_prop_ro(
            name,
            [member](nb::handle_t<RaySet> self) {
                return column(nb::cast<const RaySet&>(self), member, self);
            },
            nb::sig(signature));
    };
    add("source", &RayInfo::source, "def source(self) -> numpy.typing.NDArray[numpy.int32]");
    add("receiver", &RayInfo::receiver, "def receiver(self) -> numpy.typing.NDArray[numpy.int32]");
    add("times", &RayInfo::time, "def times(self) -> numpy.typing.NDArray[numpy.float64]");
    add("field_times", &RayInfo::field_time,
        "def field_times(self) -> numpy.typing.NDArray[numpy.float64]");
    add("lengths", &RayInfo::length, "def lengths(self) -> numpy.typing.NDArray[numpy.float64]");
    type.def_prop_ro(
        "status",
        [](nb::handle_t<RaySet> self) {
            return status_column(nb::cast<const RaySet&>(self), self);
        },
        nb::sig("def status(self) -> numpy.typing.NDArray[numpy.uint8]"));
    type.def("save", &save, "path"_a, Free(),
             nb::sig("def save(self, path: str | os.PathLike[str]) -> None"));
    type.def("save_vector_coverage", &save_vector_coverage, "path"_a, "pick_times"_a,
             nb::sig("def save_vector_coverage(self, path: str | os.PathLike[str], pick_times: "
                     "numpy.typing.NDArray[typing.Any]) -> None"));
    bind_ray_state(type);
}

}  // namespace

void bind_rays(nb::module_& module) {
    bind_ray_set(module);
    module.def("rays", &trace, "model"_a, "sources"_a, "start_times"_a, "receivers"_a,
               "pairs"_a.none(), "options"_a, "progress"_a.none(),
               nb::sig("def rays(model: Model, sources: numpy.typing.NDArray[typing.Any], "
                       "start_times: numpy.typing.NDArray[typing.Any], receivers: "
                       "numpy.typing.NDArray[typing.Any], pairs: numpy.typing.NDArray[typing.Any] "
                       "| None, options: dict[str, typing.Any], progress: object | None) -> "
                       "RaySet"),
               "fermat.rays after its arguments are checked.");
    module.def("sensitivity", &sensitivity_rows, "model"_a, "rays"_a, "basis"_a, "threads"_a,
               nb::sig("def sensitivity(model: Model, rays: RaySet, basis: str, threads: int) -> "
                       "tuple[numpy.typing.NDArray[numpy.float64], "
                       "numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.int64], "
                       "int]"),
               "Values, columns, row starts and the number of columns of a CSR matrix.");
    module.def("anisotropy_sensitivity", &anisotropy_rows, "model"_a, "rays"_a, "parameter"_a,
               "threads"_a,
               nb::sig("def anisotropy_sensitivity(model: Model, rays: RaySet, parameter: str, "
                       "threads: int) -> tuple[numpy.typing.NDArray[numpy.float64], "
                       "numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.int64], "
                       "int]"),
               "As sensitivity, by a parameter of anisotropy on the nodes.");
    module.def("coverage", &coverage_cells, "model"_a, "rays"_a, "threads"_a,
               nb::sig("def coverage(model: Model, rays: RaySet, threads: int) -> "
                       "tuple[numpy.typing.NDArray[numpy.float32], "
                       "numpy.typing.NDArray[numpy.float32]]"),
               "Count and length of rays in each cell.");
    module.def("load_vector_coverage", &load_vector_coverage, "model"_a, "path"_a,
               nb::sig("def load_vector_coverage(model: Model, path: str | os.PathLike[str]) -> "
                       "tuple[RaySet, numpy.typing.NDArray[numpy.float64], list[str]]"),
               "Rays and pick times of a vector coverage file, and notes about it.");
    module.def("load_rays", &read_rays, "path"_a, Free(),
               nb::sig("def load_rays(path: str | os.PathLike[str]) -> RaySet"),
               "Rays of a file that RaySet.save or `fermat rays` wrote.");
    module.def("ray_status_names", &status_names, nb::sig("def ray_status_names() -> list[str]"),
               "Names of the values of RaySet.status.");
}

}  // namespace fermat::python
