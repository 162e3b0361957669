#include <nanobind/ndarray.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "bindings.hpp"
#include "io/interface_file.hpp"
#include "io/layered_io.hpp"
#include "io/vtkhdf_rays.hpp"
#include "model/layer_cells.hpp"
#include "model/layered_medium.hpp"
#include "monitor.hpp"
#include "numpy.hpp"
#include "options.hpp"
#include "phases/phases.hpp"
#include "points.hpp"
#include "warn.hpp"

namespace fermat::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

/// The rays of some pairs in flat memory, as Python reads them.
struct PhaseRays {
    LayeredMedium medium;
    std::string phase;           ///< the name of the branch
    std::vector<RayPair> pairs;  ///< of each ray
    std::vector<BranchRay> rays;
};

Interface interface_from(const std::string& id, const Numbers& x, const Numbers& y,
                         const Numbers& depth, const Model& model, bool smooth) {
    std::vector<Vec3> points;
    for (std::size_t i = 0; i < depth.shape(0); ++i) {
        points.push_back({x.data()[i], y.data()[i], depth.data()[i]});
    }
    return Interface::of_points(id, points, model.place(),
                                smooth ? InterfaceShape::smooth : InterfaceShape::linear);
}

/// An interface of a file; the notes of its reader become warnings.
Interface interface_of(const std::string& id, const std::filesystem::path& path, const Model& model,
                       bool smooth, bool heights) {
    Notes notes;
    const InterfaceFileOptions options{smooth ? InterfaceShape::smooth : InterfaceShape::linear,
                                       heights};
    Interface found = interface_from_file(path, id, model.place(), options, notes);
    warn(notes);
    return found;
}

/// A model with the coordinates of another and one velocity everywhere.
Model even_model(const Model& like, double velocity) {
    Field<float> values(like.grid().shape);
    std::fill(values.begin(), values.end(), static_cast<float>(velocity));
    return (like.cells() != nullptr ? as_nodes(like) : like).with_given(std::move(values));
}

void save(const LayeredMedium& medium, const std::filesystem::path& path,
          const std::optional<std::string>& format,
          const std::optional<std::filesystem::path>& interfaces, const std::string& reflector) {
    Notes notes;
    LayeredWriteOptions options{{}, interfaces, reflector};
    if (format) options.format = parse_choice<LayeredFormat>(*format);
    write_layered(path, medium, options, notes);
    warn(notes);
}

/// A medium of a file; the notes of its reader become warnings.
LayeredMedium load(const std::filesystem::path& path,
                   const std::optional<std::vector<double>>& spacing,
                   const std::optional<std::filesystem::path>& interfaces,
                   const std::vector<std::string>& names, std::optional<double> vp_over_vs) {
    LayeredReadOptions options{{}, interfaces, names, vp_over_vs};
    if (spacing) {
        const std::vector<double>& h = *spacing;
        if (h.empty() || h.size() > 3) {
            throw InputError(fmt::format("spacing has {} numbers (must be 1 to 3)", h.size()));
        }
        options.spacing = Vec3{h.front(), h.size() == 3 ? h[1] : h.front(), h.back()};
    }
    Notes notes;
    LayeredMedium medium = read_layered(path, notes, options);
    warn(notes);
    return medium;
}

PhaseRays trace(const LayeredMedium& medium, const std::string& phase, const Points& sources,
                const Points& receivers, const nb::object& pairs, const nb::dict& keywords,
                nb::object progress) {
    const Keywords given(keywords);
    PhaseOptions options;
    given.fill(options);
    const Grid& grid = medium.grid();
    const std::vector<Vec3> from = points_from(sources, grid.origin.y);
    const std::vector<Vec3> to = points_from(receivers, grid.origin.y);
    const Branch branch = branch_of(medium, phase);
    Notes notes;
    note_doubts(branch, medium, notes);
    std::vector<RayPair> which = all_pairs(from.size(), to.size());
    if (!pairs.is_none()) {
        which.clear();
        for (const auto& [a, b] : nb::cast<std::vector<std::pair<int, int>>>(pairs)) {
            if (a < 0 || b < 0 || static_cast<std::size_t>(a) >= from.size() ||
                static_cast<std::size_t>(b) >= to.size()) {
                throw InputError("pairs name a source or receiver that is not there");
            }
            which.push_back({a, b});
        }
    }
    note_missing_ways(branch, medium, from, to, which, notes);
    warn(notes);
    PythonMonitor bridge(std::move(progress), given.whole("threads", 0),
                         given.text("device", "auto"));
    auto found = bridge.run([&](const Execution& execution) {
        return trace_branch(medium, branch, from, to, which, options, execution);
    });
    PhaseRays out{medium, branch.name, {}, {}};
    for (std::size_t i = 0; i < found.size(); ++i) {
        for (BranchRay& ray : found[i]) {
            out.pairs.push_back(which[i]);
            out.rays.push_back(std::move(ray));
        }
    }
    return out;
}

template <class Get>
auto column(const PhaseRays& set, Get get) {
    std::vector<decltype(get(set.rays.front()))> out;
    out.reserve(set.rays.size());
    for (const BranchRay& ray : set.rays) out.push_back(get(ray));
    return array_from(std::move(out));
}

}  // namespace

void bind_phases(nb::module_& module) {
    nb::class_<Interface>(module, "Interface")
        .def_static("of_points", &interface_from, "id"_a, "x"_a, "y"_a, "depth"_a, "model"_a,
                    "smooth"_a)
        .def_static("flat", &Interface::flat, "id"_a, "depth"_a)
        .def_static(
            "ground", [](const Model& model) { return ground_of(model.place()); }, "model"_a)
        .def_static(
            "of_file", &interface_of, "id"_a, "path"_a, "model"_a, "smooth"_a, "heights"_a,
            nb::sig(
                "def of_file(id: str, path: str | os.PathLike[str], model: Model, smooth: bool, "
                "heights: bool) -> Interface"))
        .def_prop_ro("id", &Interface::id)
        .def("depth_at", &Interface::depth_at, "x"_a, "y"_a);
    nb::class_<LayeredMedium>(module, "LayeredMedium")
        .def(
            "__init__",
            [](LayeredMedium* self, const std::vector<Interface>& interfaces,
               const std::vector<std::pair<Model, std::optional<Model>>>& models) {
                std::vector<Layer> layers;
                for (const auto& [p, s] : models) layers.push_back({p, s});
                Notes notes;
                layers = layers_on_nodes(interfaces, std::move(layers), notes);
                warn(notes);
                new (self) LayeredMedium(interfaces, std::move(layers));
            },
            "interfaces"_a, "layers"_a)
        .def_static(
            "load", &load, "path"_a, "spacing"_a.none(), "interfaces"_a.none(), "names"_a,
            "vp_over_vs"_a.none(),
            nb::sig("def load(path: str | os.PathLike[str], spacing: Sequence[float] | None, "
                    "interfaces: str | os.PathLike[str] | None, names: Sequence[str], "
                    "vp_over_vs: float | None) -> LayeredMedium"))
        .def("save", &save, "path"_a, "format"_a.none(), "interfaces"_a.none(), "reflector"_a,
             nb::sig("def save(self, path: str | os.PathLike[str], format: str | None, interfaces: "
                     "str | os.PathLike[str] | None, reflector: str) -> None"))
        .def_static("is_layered", &is_layered, "path"_a,
                    nb::sig("def is_layered(path: str | os.PathLike[str]) -> bool"))
        .def_prop_ro("interfaces", &LayeredMedium::interfaces)
        .def_prop_ro("has_s", &LayeredMedium::has_s)
        .def("with_s", &with_s, "vp_over_vs"_a)
        .def_prop_ro("layer_count", &LayeredMedium::layer_count)
        .def(
            "model",
            [](const LayeredMedium& medium, int layer, const std::string& phase) {
                return medium.model(layer, parse_choice<Phase>(phase));
            },
            "layer"_a, "phase"_a)
        .def(
            "merged",
            [](const LayeredMedium& medium, const std::string& phase) {
                return medium.merged(parse_choice<Phase>(phase));
            },
            "phase"_a)
        .def("layer_of", [](const LayeredMedium& medium, double x, double y, double z) {
            return medium.layer_of({x, y, z}, "point");
        });
    nb::class_<PhaseRays>(module, "PhaseRays")
        .def_ro("phase", &PhaseRays::phase)
        .def("times",
             [](const PhaseRays& set) {
                 return column(set, [](const BranchRay& ray) {
                     return has_arrived(ray.status) ? ray.time
                                                    : std::numeric_limits<double>::quiet_NaN();
                 });
             })
        .def("lengths",
             [](const PhaseRays& set) {
                 return column(set, [](const BranchRay& ray) { return ray.length; });
             })
        .def("status",
             [](const PhaseRays& set) {
                 std::vector<std::string> out;
                 for (const BranchRay& ray : set.rays) {
                     out.emplace_back(name_of(ray.status));
                 }
                 return out;
             })
        .def("maxima",
             [](const PhaseRays& set) {
                 return column(set, [](const BranchRay& ray) { return ray.maxima; });
             })
        .def("sources",
             [](const PhaseRays& set) {
                 std::vector<std::int32_t> out;
                 for (const RayPair& pair : set.pairs) out.push_back(pair.source);
                 return array_from(std::move(out));
             })
        .def("receivers",
             [](const PhaseRays& set) {
                 std::vector<std::int32_t> out;
                 for (const RayPair& pair : set.pairs) out.push_back(pair.receiver);
                 return array_from(std::move(out));
             })
        .def("path",
             [](const PhaseRays& set, std::size_t ray) {
                 std::vector<double> flat;
                 for (const Vec3& p : points_of(set.medium, set.rays.at(ray))) {
                     flat.insert(flat.end(), {p.x, p.y, p.z});
                 }
                 return array_from(std::move(flat));
             })
        .def("legs", [](const PhaseRays& set,
                        std::size_t ray) { return describe(set.rays.at(ray).legs, set.medium); })
        .def("__len__", [](const PhaseRays& set) { return set.rays.size(); });
    module.def("even_model", &even_model, "like"_a, "velocity"_a);
    module.def(
        "load_ray_numbers",
        [](const std::filesystem::path& path, const std::string& name) {
            NamedRayNumbers found = read_ray_numbers(path, name);
            return nb::make_tuple(array_from(std::move(found.values)), found.names);
        },
        "path"_a, "name"_a,
        nb::sig("def load_ray_numbers(path: str | os.PathLike[str], name: str) -> "
                "tuple[numpy.typing.NDArray[numpy.int32], list[str]]"));
    module.def("trace_phase", &trace, "medium"_a, "phase"_a, "sources"_a, "receivers"_a,
               "pairs"_a.none(), "keywords"_a, "progress"_a.none(),
               nb::sig("def trace_phase(medium: LayeredMedium, phase: str, sources: "
                       "NDArray[numpy.float64], receivers: NDArray[numpy.float64], pairs: object | "
                       "None, keywords: dict[str, object], progress: object | None) -> PhaseRays"));
}

}  // namespace fermat::python
