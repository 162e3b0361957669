#include "metric_keywords.hpp"

#include <fmt/format.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>

#include <array>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "io/vts_write.hpp"
#include "keywords.hpp"
#include "points.hpp"

namespace fermat::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

constexpr std::array<const char*, 13> names = {
    "coordinates", "radius", "geodetic", "axes", "surface",  "tensor", "epsilon",
    "delta",       "tilt",   "azimuth",  "vs",   "vs_ratio", "jumps"};

nb::module_ numpy() { return nb::module_::import_("numpy"); }

bool has(const nb::kwargs& given, const char* name) {
    return given.contains(name) && !nb::object(given[name]).is_none();
}

void require_known(const nb::kwargs& given) {
    for (const auto& item : given) {
        const auto name = nb::cast<std::string>(item.first);
        bool known = false;
        for (const char* const other : names) known |= name == other;
        if (known) continue;
        throw nb::type_error(
            fmt::format("Model() got an unexpected keyword argument '{}'", name).c_str());
    }
}

/// Values as an array of NumPy; a TypeError names the keyword.
nb::object array_of_numbers(nb::handle values, const char* what, const char* dtype) {
    try {
        return numpy().attr("asarray")(values, "dtype"_a = dtype);
    } catch (const nb::python_error&) {
        throw_type_error(what, values, "a number or an array of numbers");
    }
}

std::vector<double> numbers_from(nb::handle values, const char* what) {
    const nb::object array = array_of_numbers(values, what, "float64");
    std::vector<double> out;
    for (nb::handle value : array.attr("ravel")().attr("tolist")()) {
        out.push_back(nb::cast<double>(value));
    }
    if (out.empty()) throw InputError(fmt::format("{} is empty", what));
    return out;
}

/// Values on nodes: one number for all of them, or an array of the shape of the grid.
Field<float> on_nodes(nb::handle values, const Grid& grid, const char* what) {
    const nb::object wanted = tuple_of(grid.shape);
    const nb::object array = array_of_numbers(values, what, "float32");
    const auto axes = nb::cast<int>(array.attr("ndim"));
    if (axes != 0 && !array.attr("shape").equal(wanted)) {
        throw InputError(
            fmt::format("{} has the shape {} (must be one number, or {} nodes, as the "
                        "velocity)",
                        what, nb::cast<std::string>(nb::str(nb::object(array.attr("shape")))),
                        to_string(grid.shape)));
    }
    const nb::object full = numpy().attr("array")(numpy().attr("broadcast_to")(array, wanted),
                                                  "order"_a = "C", "copy"_a = true);
    const HostValues held = values_from_array(full, what);
    Field<float> out(grid.shape);
    std::copy(held.values.begin(), held.values.end(), out.begin());
    return out;
}

/// Components of tensors (..., 3, 3), or (..., 2, 2) of x and z in 2-D, of all nodes or one for
/// all.
void read_tensor(nb::handle values, const Grid& grid, AnisotropyValues& out) {
    const nb::object array = array_of_numbers(values, "tensor", "float64");
    const int size = grid.dimensions();
    const nb::object sizes = array.attr("shape");
    const auto axes = nb::cast<int>(array.attr("ndim"));
    const auto side = [&](int from_end) { return nb::cast<int>(sizes[axes - from_end]); };
    if (axes < 2 || side(1) != size || side(2) != size) {
        throw InputError(fmt::format("tensor has the shape {} (must end with ({}, {}))",
                                     nb::cast<std::string>(nb::str(sizes)), size, size));
    }
    constexpr std::array<std::array<int, 2>, 6> places = {
        {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}}};
    out.kind = Anisotropy::elliptical;
    for (std::size_t n = 0; n < places.size(); ++n) {
        const auto [r, c] = places[n];
        if (size == 2 && (r == 1 || c == 1)) {
            out.values[n] = Field<float>(grid.shape, r == c ? 1.0F : 0.0F);
            continue;
        }
        const auto part = [&](int a, int b) {
            const int shrink = size == 2 ? 2 : 1;
            return array[nb::make_tuple(nb::ellipsis(), a / shrink, b / shrink)];
        };
        const nb::object one = part(r, c);
        if (!nb::cast<bool>(numpy().attr("allclose")(one, part(c, r)))) {
            throw InputError("tensor is not symmetric");
        }
        out.values[n] = on_nodes(one, grid, "tensor");
    }
}

/// Vs/Vp along the axis; empty without one.
Field<float> shear_ratio(const nb::kwargs& given, const Model& plain) {
    if (has(given, "vs_ratio")) return on_nodes(given["vs_ratio"], plain.grid(), "vs_ratio");
    if (!has(given, "vs")) return {};
    Field<float> ratio = on_nodes(given["vs"], plain.grid(), "vs");
    for (std::size_t n = 0; n < ratio.size(); ++n) {
        const float velocity = plain.velocity()[n];
        ratio[n] = velocity > 0 ? ratio[n] / velocity : 0.0F;
    }
    return ratio;
}

void read_thomsen(const nb::kwargs& given, const Model& plain, AnisotropyValues& out) {
    const Grid& grid = plain.grid();
    const auto read = [&](const char* name) {
        return has(given, name) ? on_nodes(given[name], grid, name)
                                : Field<float>(grid.shape, 0.0F);
    };
    out.kind = Anisotropy::thomsen;
    out.values[0] = read("epsilon");
    out.values[1] = read("delta");
    const Field<float> tilt = read("tilt");
    const Field<float> azimuth = read("azimuth");
    for (std::size_t axis = 0; axis < 3; ++axis) out.values[2 + axis] = Field<float>(grid.shape);
    for (std::size_t n = 0; n < tilt.size(); ++n) {
        const Vec3 axis = tilted_axis(tilt[n], azimuth[n]);
        out.values[2][n] = static_cast<float>(axis.x);
        out.values[3][n] = static_cast<float>(axis.y);
        out.values[4][n] = static_cast<float>(axis.z);
    }
    out.values[5] = shear_ratio(given, plain);
}

Coordinates system_of(const nb::kwargs& given) {
    const Coordinates named = has(given, "coordinates")
                                  ? parse_choice<Coordinates>(keyword_as<std::string>(
                                        nb::object(given["coordinates"]), "coordinates"))
                                  : Coordinates::cartesian;
    const Coordinates implied = has(given, "axes")      ? Coordinates::graded
                                : has(given, "surface") ? Coordinates::terrain
                                                        : named;
    if (has(given, "axes") && has(given, "surface")) {
        throw InputError("axes and surface are given (a grid is either graded or follows terrain)");
    }
    if (named != implied && has(given, "coordinates") && named != Coordinates::cartesian) {
        throw InputError(fmt::format("coordinates are '{}' with {} (leave one out)", name_of(named),
                                     has(given, "axes") ? "axes" : "a surface"));
    }
    if (implied == Coordinates::graded && !has(given, "axes")) {
        throw InputError("coordinates are 'graded' without axes (give the nodes along each axis)");
    }
    if (implied == Coordinates::terrain && !has(given, "surface")) {
        throw InputError("coordinates are 'terrain' without a surface (give the depth per column)");
    }
    if (implied != Coordinates::spherical && (has(given, "radius") || has(given, "geodetic"))) {
        throw InputError("radius and geodetic are for coordinates 'spherical'");
    }
    return implied;
}

std::array<std::vector<double>, 3> axes_of(nb::handle axes, bool is_2d) {
    if (!nb::isinstance<nb::sequence>(axes)) {
        throw_type_error("axes", axes, "a sequence of arrays, one per axis");
    }
    const auto count = nb::len(axes);
    if (count != (is_2d ? 2U : 3U)) {
        throw InputError(fmt::format("axes has {} arrays (must have {})", count, is_2d ? 2 : 3));
    }
    std::array<std::vector<double>, 3> out;
    for (std::size_t n = 0; n < count; ++n) {
        out[is_2d ? 2 * n : n] = numbers_from(axes[n], "axes");
    }
    return out;
}

}  // namespace

Grid grid_of(const Grid& regular, const nb::kwargs& given) {
    require_known(given);
    if (!has(given, "axes")) return regular;
    if (!(regular.spacing == Vec3{1, 1, 1}) || norm(regular.origin) > 0) {
        throw InputError("axes are given with a spacing or an origin (they replace both)");
    }
    const auto axes = axes_of(given["axes"], regular.is_2d());
    Grid grid = regular;
    for (int axis = 0; axis < 3; ++axis) {
        const auto& at = axes[static_cast<std::size_t>(axis)];
        if (at.size() < 2) continue;
        grid.origin[axis] = at.front();
        grid.spacing[axis] = (at.back() - at.front()) / static_cast<double>(at.size() - 1);
    }
    return grid;
}

std::shared_ptr<const Metric> metric_from(const Model& plain, const nb::kwargs& given) {
    const Grid& grid = plain.grid();
    CoordinateNumbers numbers;
    numbers.system = system_of(given);
    const auto value = [&](const char* name) { return nb::object(given[name]); };
    if (has(given, "radius")) numbers.radius = keyword_as<double>(value("radius"), "radius");
    if (has(given, "geodetic")) numbers.geodetic = keyword_as<bool>(value("geodetic"), "geodetic");
    if (has(given, "axes")) numbers.axes = axes_of(given["axes"], grid.is_2d());
    if (has(given, "surface")) numbers.surface = numbers_from(given["surface"], "surface");
    if (has(given, "jumps")) numbers.jumps = numbers_from(given["jumps"], "jumps");
    AnisotropyValues anisotropy;
    const bool thomsen = has(given, "epsilon") || has(given, "delta");
    if (!thomsen && (has(given, "tilt") || has(given, "azimuth"))) {
        throw InputError(
            "tilt and azimuth are given without epsilon or delta (they turn its axis)");
    }
    if (!thomsen && (has(given, "vs") || has(given, "vs_ratio"))) {
        throw InputError("vs is given without epsilon or delta (it belongs to Thomsen's medium)");
    }
    if (has(given, "vs") && has(given, "vs_ratio")) {
        throw InputError("vs and vs_ratio are given (must be one of these)");
    }
    if (thomsen && has(given, "tensor")) {
        throw InputError("tensor is given with epsilon or delta (anisotropy is one or the other)");
    }
    if (has(given, "tensor")) read_tensor(given["tensor"], grid, anisotropy);
    if (thomsen) read_thomsen(given, plain, anisotropy);
    if (numbers.system == Coordinates::cartesian && anisotropy.kind == Anisotropy::none) {
        if (!numbers.jumps.empty()) {
            throw InputError(
                "jumps are given in plain Cartesian coordinates (use `cells=True` there, or "
                "coordinates 'spherical')");
        }
        return nullptr;
    }
    return std::make_shared<const Metric>(grid, std::move(numbers), std::move(anisotropy));
}

namespace {

nb::object node_array(const Field<float>& field) { return nb::cast(array_of(field.copy())); }

nb::object list_of(const std::vector<double>& values) {
    nb::list out;
    for (const double value : values) out.append(value);
    return numpy().attr("array")(out);
}

/// Numbers that a system does not have are left out.
void add_number(const Model&, const char* name, Coordinates system, nb::dict& options) {
    options[name] = std::string(name_of(system));
}
template <class Number>
requires(std::is_arithmetic_v<Number>) void add_number(const Model& model, const char* name,
                                                       Number number, nb::dict& options) {
    if (model.mapping().geographic()) options[name] = number;
}
void add_number(const Model&, const char* name, const std::vector<double>& numbers,
                nb::dict& options) {
    if (!numbers.empty()) options[name] = list_of(numbers);
}
void add_number(const Model& model, const char* name, const CoordinateNumbers::Axes& axes,
                nb::dict& options) {
    if (axes[0].empty()) return;
    nb::list lists;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (axis != 1 || !model.grid().is_2d()) lists.append(list_of(axes[axis]));
    }
    options[name] = lists;
}

nb::object tensor_array(const AnisotropyValues& of, const Grid& grid) {
    using Order = std::vector<std::size_t>;
    const Order order = grid.is_2d() ? Order{0, 4, 4, 2} : Order{0, 3, 4, 3, 1, 5, 4, 5, 2};
    nb::list parts;
    for (const std::size_t n : order) parts.append(node_array(of.values[n]));
    const int size = grid.dimensions();
    return numpy()
        .attr("stack")(parts, "axis"_a = -1)
        .attr("reshape")(tuple_of(grid.shape) + nb::make_tuple(size, size));
}

}  // namespace

void add_metric_keywords(const Model& model, nb::dict& options) {
    if (model.is_plain()) return;
    const Grid& grid = model.grid();
    visit_numbers(model.coordinates(), [&](const char* name, const auto& number) {
        add_number(model, name, number, options);
    });
    if (options.contains("axes")) {
        for (const char* const name : {"spacing", "origin"}) {
            if (options.contains(name)) nb::del(options[name]);
        }
    }
    const AnisotropyValues& anisotropy = model.anisotropy();
    if (anisotropy.kind == Anisotropy::elliptical) {
        options["tensor"] = tensor_array(anisotropy, grid);
    } else if (model.has_thomsen()) {
        const nb::object np = numpy();
        const nb::object x = node_array(anisotropy.values[2]);
        const nb::object y = node_array(anisotropy.values[3]);
        const nb::object z = node_array(anisotropy.values[4]);
        options["epsilon"] = node_array(anisotropy.values[0]);
        options["delta"] = node_array(anisotropy.values[1]);
        options["tilt"] = np.attr("degrees")(np.attr("arctan2")(np.attr("hypot")(x, y), z));
        options["azimuth"] = np.attr("degrees")(np.attr("arctan2")(y, x));
        const Field<float>& shear = anisotropy.values[5];
        if (!shear.empty()) options["vs_ratio"] = node_array(shear);
    }
}

void bind_metric(nb::class_<Model>& type) {
    type.def_prop_ro(
        "coordinates",
        [](const Model& self) { return std::string(name_of(self.coordinates().system)); },
        "What the coordinates of points mean: 'cartesian' x, y, z with equal steps, 'graded' with "
        "any steps, 'spherical' latitude, longitude and depth, 'terrain' x, y, z on a grid that "
        "follows the ground.");
    type.def_prop_ro(
        "anisotropy",
        [](const Model& self) {
            if (self.is_isotropic()) return std::string("none");
            return std::string(self.has_thomsen() ? "thomsen" : "elliptical");
        },
        "'none', 'elliptical' (a tensor per node) or 'thomsen' (epsilon and delta per node).");
    type.def(
        "places",
        [](const Model& self, const Points& points) {
            std::vector<double> out;
            const Grid& grid = self.grid();
            for (const Vec3 user : points_from(points, grid.origin.y)) {
                const Vec3 p = self.mapping().place(self.place().grid_point(user));
                out.insert(out.end(), {p.x, p.y, p.z});
            }
            return nb::object(nb::cast(array_from(std::move(out))).attr("reshape")(-1, 3));
        },
        "points"_a,
        nb::sig("def places(self, points: numpy.typing.NDArray[typing.Any]) -> "
                "numpy.typing.NDArray[numpy.float64]"),
        R"(Cartesian places (n, 3) of points (n, 3), or (n, 2) in 2-D: of a sphere about its centre, else
x, y, z.

Examples
--------
>>> import fermat as fm, numpy as np
>>> model = fm.Model(np.full((5, 5, 3), 5.0), spacing=(1, 1, 20), coordinates="spherical")
>>> model.places(np.array([[0.0, 0.0, 0.0]])).tolist()  # latitude, longitude, depth
[[6371.0, 0.0, 0.0]]
)");
    type.def(
        "write_vts",
        [](const Model& self, const std::filesystem::path& path, const nb::dict& fields) {
            std::vector<NamedField> named;
            const Grid& grid = self.grid();
            using Array = nb::ndarray<const float, nb::c_contig, nb::device::cpu>;
            std::vector<Array> owners;
            for (const auto& [name, values] : fields) {
                owners.push_back(nb::cast<Array>(values));
                const Array& given = owners.back();
                const bool nodes = given.size() == grid.node_count();
                const Shape shape = nodes ? grid.shape : grid.cell_shape();
                const auto text = nb::cast<std::string>(name);
                if (given.size() != shape.count()) {
                    throw InputError(fmt::format(
                        "{} has {} values (must be on {} nodes or {} cells)", text, given.size(),
                        to_string(grid.shape), to_string(grid.cell_shape())));
                }
                named.push_back({text, {given.data(), shape}});
            }
            write_vts(path, self, named);
        },
        "path"_a, "fields"_a,
        nb::sig("def write_vts(self, path: str | os.PathLike[str], fields: dict[str, "
                "numpy.typing.NDArray[numpy.float32]]) -> None"),
        R"(Write velocity and fields as .vts, whose points lie where the nodes lie in space.

Examples
--------
>>> import fermat as fm
>>> model = fm.Model.constant((5, 4), velocity=2)
>>> model.write_vts("times.vts", {"time": fm.traveltimes(model, (0, 0))})
)");
    type.def(
        "node_positions",
        [](const Model& self) {
            const Grid& grid = self.grid();
            std::array<Field<double>, 3> at;
            for (auto& field : at) field = Field<double>(grid.shape);
            for (int i = 0; i < grid.shape.x; ++i) {
                for (int j = 0; j < grid.shape.y; ++j) {
                    for (int k = 0; k < grid.shape.z; ++k) {
                        const Vec3 q = grid.position({i, j, k});
                        const Vec3 p = self.mapping().to_user(q);
                        for (int axis = 0; axis < 3; ++axis) {
                            at[static_cast<std::size_t>(axis)](i, j, k) = p[axis];
                        }
                    }
                }
            }
            nb::list parts;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                if (axis != 1 || !grid.is_2d()) parts.append(array_of(std::move(at[axis])));
            }
            return numpy().attr("stack")(parts, "axis"_a = -1);
        },
        nb::sig("def node_positions(self) -> numpy.typing.NDArray[numpy.float64]"),
        R"(Where the nodes lie, in the coordinates of points: an array (nx, ny, nz, 3), or (nx, nz, 2) in
2-D.

Examples
--------
>>> import fermat as fm
>>> model = fm.Model.constant((3, 2), velocity=2, spacing=0.5)
>>> model.node_positions()[2].tolist()
[[1.0, 0.0], [1.0, 0.5]]
)");
}

}  // namespace fermat::python
