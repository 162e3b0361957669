#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/error.hpp"
#include "io/depth_grid.hpp"
#include "io/hdf5.hpp"

namespace fermat {
namespace {

using NetcdfNames = std::array<std::string_view, 5>;
constexpr NetcdfNames across_names = {"x", "lon", "longitude", "easting", "east"};
constexpr NetcdfNames along_names = {"y", "lat", "latitude", "northing", "north"};
constexpr std::array<std::string_view, 5> height_names = {"elevation", "height", "topo",
                                                          "topography", "altitude"};

std::string in_small_letters(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return text;
}

template <class List>
bool names_hold(const List& names, const std::string& name) {
    return std::find(names.begin(), names.end(), in_small_letters(name)) != names.end();
}

/// A text attribute of any kind of string; empty if there is none.
std::string netcdf_text(hid_t object, const char* name) {
    if (H5Aexists(object, name) <= 0) return {};
    const hdf5::Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
    const hdf5::Handle type(H5Aget_type(attribute), H5Tclose);
    if (H5Tget_class(type) != H5T_STRING) return {};
    const hdf5::Handle space(H5Aget_space(attribute), H5Sclose);
    if (H5Sget_simple_extent_npoints(space) != 1) return {};
    if (H5Tis_variable_str(type) > 0) {
        char* text = nullptr;
        const hdf5::Handle wanted(H5Tcopy(H5T_C_S1), H5Tclose);
        H5Tset_size(wanted, H5T_VARIABLE);
        H5Tset_cset(wanted, H5Tget_cset(type));
        if (H5Aread(attribute, wanted, static_cast<void*>(&text)) < 0 || text == nullptr) return {};
        std::string out(text);
        H5free_memory(text);
        return out;
    }
    std::string out(std::min<std::size_t>(H5Tget_size(type), 1024), '\0');
    if (H5Tget_size(type) > out.size() || H5Aread(attribute, type, out.data()) < 0) return {};
    return out.substr(0, out.find('\0'));
}

std::vector<double> numbers_in(hid_t object, const char* name) {
    if (H5Aexists(object, name) <= 0) return {};
    const hdf5::Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
    const hdf5::Handle type(H5Aget_type(attribute), H5Tclose);
    const hdf5::Handle space(H5Aget_space(attribute), H5Sclose);
    const H5T_class_t kind = H5Tget_class(type);
    double value = 0;
    if ((kind != H5T_FLOAT && kind != H5T_INTEGER) || H5Sget_simple_extent_npoints(space) != 1 ||
        H5Aread(attribute, H5T_NATIVE_DOUBLE, &value) < 0) {
        return {};
    }
    return {value};
}

/// NetcdfNames of the dimension scales of a dataset; of those without a scale, empty ones.
std::vector<std::string> scales_of(hid_t file, hid_t dataset, std::size_t rank) {
    std::vector<std::string> out(rank);
    if (H5Aexists(dataset, "DIMENSION_LIST") <= 0) return out;
    const hdf5::Handle attribute(H5Aopen(dataset, "DIMENSION_LIST", H5P_DEFAULT), H5Aclose);
    const hdf5::Handle space(H5Aget_space(attribute), H5Sclose);
    const hdf5::Handle type(H5Aget_type(attribute), H5Tclose);
    if (H5Tget_class(type) != H5T_VLEN ||
        H5Sget_simple_extent_npoints(space) != static_cast<hssize_t>(rank)) {
        return out;
    }
    std::vector<hvl_t> lists(rank);
    const hdf5::Handle wanted(H5Tvlen_create(H5T_STD_REF_OBJ), H5Tclose);
    if (H5Aread(attribute, wanted, lists.data()) < 0) return out;
    for (std::size_t k = 0; k < rank; ++k) {
        if (lists[k].len == 0) continue;
        const hdf5::Handle scale(H5Rdereference2(file, H5P_DEFAULT, H5R_OBJECT, lists[k].p),
                                 H5Oclose);
        if (!scale.valid()) continue;
        std::array<char, 256> name{};
        if (H5Iget_name(scale, name.data(), name.size()) > 1) out[k] = name.data() + 1;
    }
    H5Dvlen_reclaim(wanted, space, H5P_DEFAULT, lists.data());
    return out;
}

/// First value, step and whether values fall, of coordinates with equal steps.
struct EvenAxis {
    double first = 0;
    double step = 1;
    bool falls = false;
};
EvenAxis even_axis(const TextFile& file, const NetcdfVariable& axis) {
    const std::vector<double>& at = axis.values;
    const bool several = at.size() > 1;
    const double step =
        several ? (at.back() - at.front()) / static_cast<double>(at.size() - 1) : 0.0;
    bool even = several && step != 0 && std::isfinite(step) && std::isfinite(at.front());
    for (std::size_t n = 0; even && n < at.size(); ++n) {
        even = std::fabs(at[n] - at.front() - step * static_cast<double>(n)) <
               2e-3 * std::fabs(step) * std::max(1.0, 1e-3 * static_cast<double>(at.size()));
    }
    if (!even) {
        throw InputError(fmt::format("{}: {} is not evenly spaced (resample the grid)",
                                     file.quoted(), in_quotes(axis.name)));
    }
    return {std::min(at.front(), at.back()), std::fabs(step), step < 0};
}

const NetcdfVariable& netcdf_values(const TextFile& file, const std::vector<NetcdfVariable>& all) {
    std::vector<const NetcdfVariable*> flat;
    for (const NetcdfVariable& one : all) {
        if (one.dims.size() == 2) flat.push_back(&one);
    }
    for (const char* name : {"z", "depth"}) {
        for (const NetcdfVariable* one : flat) {
            if (flat.size() > 1 && in_small_letters(one->name) == name) return *one;
        }
    }
    if (flat.size() == 1) return *flat.front();
    std::vector<std::string> names;
    for (const NetcdfVariable* one : flat) names.push_back(in_quotes(one->name));
    throw InputError(fmt::format(
        "{} has {} variables of two dimensions{}{} (one must be there, or be called z "
        "or depth)",
        file.quoted(), names.size(), names.empty() ? "" : ": ", fmt::join(names, ", ")));
}

const NetcdfVariable& netcdf_axis(const TextFile& file, const std::vector<NetcdfVariable>& all,
                                  const NetcdfVariable& values, std::size_t dim) {
    for (const NetcdfVariable& one : all) {
        if (one.dims.size() == 1 && one.name == values.dims[dim] &&
            one.values.size() == values.sizes[dim]) {
            return one;
        }
    }
    throw InputError(fmt::format("{} has no coordinates {} of its {}", file.quoted(),
                                 in_quotes(values.dims[dim]), in_quotes(values.name)));
}

}  // namespace

bool is_netcdf(const TextFile& file) {
    const std::string head = file.head(4);
    return head.starts_with("CDF") || head == "\x89HDF";
}

std::vector<NetcdfVariable> read_netcdf4(const TextFile& file) {
    const hdf5::Session session;
    const hdf5::Handle id = hdf5::open_file(file.path());
    std::vector<NetcdfVariable> out;
    std::vector<std::string> names;
    const auto keep = [](hid_t, const char* name, const H5L_info_t*, void* data) -> herr_t {
        static_cast<std::vector<std::string>*>(data)->emplace_back(name);
        return 0;
    };
    if (H5Literate(id, H5_INDEX_NAME, H5_ITER_INC, nullptr, keep, &names) < 0) {
        hdf5::fail_read(file.path(), "the names of its variables");
    }
    for (const std::string& name : names) {
        H5O_info_t info;
        if (H5Oget_info_by_name(id, name.c_str(), &info, H5P_DEFAULT) < 0 ||
            info.type != H5O_TYPE_DATASET) {
            continue;
        }
        const hdf5::Handle probe(H5Dopen2(id, name.c_str(), H5P_DEFAULT), H5Dclose);
        const hdf5::Handle type(H5Dget_type(probe), H5Tclose);
        const H5T_class_t kind = H5Tget_class(type);
        if (kind != H5T_FLOAT && kind != H5T_INTEGER) continue;
        const hdf5::Dataset data = hdf5::open_dataset(
            id, name, kind == H5T_FLOAT ? hdf5::Kind::floating : hdf5::Kind::integer, file.path());
        if (data.shape.size() > 2) continue;
        NetcdfVariable one;
        one.name = name;
        one.dims = scales_of(id, data.id, data.shape.size());
        if (data.shape.size() == 1) one.dims = {name};
        for (const hsize_t n : data.shape) one.sizes.push_back(static_cast<std::size_t>(n));
        one.values.resize(data.count());
        if (H5Dread(data.id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, one.values.data()) <
            0) {
            hdf5::fail_read(file.path(), fmt::format("dataset {}", in_quotes(name)));
        }
        NetcdfScale scale;
        for (const double k : numbers_in(data.id, "scale_factor")) scale.factor = k;
        for (const double k : numbers_in(data.id, "add_offset")) scale.offset = k;
        scale.missing = numbers_in(data.id, "_FillValue");
        for (const double k : numbers_in(data.id, "missing_value")) scale.missing.push_back(k);
        for (double& value : one.values) value = scale(value);
        one.units = netcdf_text(data.id, "units");
        one.positive = netcdf_text(data.id, "positive");
        out.push_back(std::move(one));
    }
    return out;
}

DepthGrid read_netcdf_grid(const TextFile& file) {
    const bool classic = file.head(3) == "CDF";
    const auto all = classic ? read_classic_netcdf(file) : read_netcdf4(file);
    const NetcdfVariable& values = netcdf_values(file, all);
    std::size_t across = 2;
    std::size_t along = 2;
    for (std::size_t k = 0; k < 2; ++k) {
        if (names_hold(across_names, values.dims[k])) across = k;
        if (names_hold(along_names, values.dims[k])) along = k;
    }
    if (across == 2 || along == 2) {
        throw InputError(fmt::format(
            "{}: {} has the dimensions {} and {} (must be x and y, or lon and lat)", file.quoted(),
            in_quotes(values.name), in_quotes(values.dims[0]), in_quotes(values.dims[1])));
    }
    const NetcdfVariable& x = netcdf_axis(file, all, values, across);
    const NetcdfVariable& y = netcdf_axis(file, all, values, along);
    const EvenAxis ex = even_axis(file, x);
    const EvenAxis ey = even_axis(file, y);
    constexpr std::size_t most = std::size_t{1} << 30;
    if (values.values.size() > most) {
        throw InputError(fmt::format("{} has {} values (cut it to the region of the model)",
                                     file.quoted(), values.values.size()));
    }
    DepthGrid out;
    out.at = {ex.first,
              ey.first,
              ex.step,
              ey.step,
              static_cast<int>(values.sizes[across]),
              static_cast<int>(values.sizes[along])};
    out.values.resize(values.values.size());
    for (int i = 0; i < out.at.nx; ++i) {
        for (int j = 0; j < out.at.ny; ++j) {
            const int a = ex.falls ? out.at.nx - 1 - i : i;
            const int b = ey.falls ? out.at.ny - 1 - j : j;
            const int stored = across == 0 ? a * out.at.ny + b : b * out.at.nx + a;
            out.values[static_cast<std::size_t>(i * out.at.ny + j)] =
                values.values[static_cast<std::size_t>(stored)];
        }
    }
    const std::string name = in_small_letters(x.name);
    out.degrees = name.starts_with("lon") || x.units.find("degree") != std::string::npos;
    out.heights = in_small_letters(values.positive) == "up" ||
                  (values.positive.empty() && names_hold(height_names, values.name));
    const std::string units = in_small_letters(values.units);
    out.metres = units == "m" || units == "meter" || units == "meters" || units == "metre" ||
                 units == "metres";
    return out;
}

}  // namespace fermat
