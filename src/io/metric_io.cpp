#include "io/metric_io.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string>

#include "core/error.hpp"

namespace fermat {
namespace {

constexpr std::array<const char*, 6> tensor_names = {"tensor_xx", "tensor_yy", "tensor_zz",
                                                     "tensor_xy", "tensor_xz", "tensor_yz"};
constexpr std::array<const char*, 5> thomsen_names = {
    "thomsen_epsilon", "thomsen_delta", "thomsen_axis_x", "thomsen_axis_y", "thomsen_axis_z"};
constexpr const char* shear_name = "thomsen_shear";  ///< Vs/Vp along the axis; may be missing
constexpr std::array<const char*, 3> axis_names = {"axis_x", "axis_y", "axis_z"};
constexpr std::size_t numbers_of_system = 2;  ///< radius and geodetic

template <std::size_t Count>
void write_arrays(ImageWriter& image, const std::array<const char*, Count>& names,
                  const AnisotropyValues& from) {
    for (std::size_t n = 0; n < Count; ++n) image.add_point_array(names[n], from.values[n].view());
}

template <std::size_t Count>
AnisotropyValues read_arrays(const ImageReader& image, Anisotropy kind,
                             const std::array<const char*, Count>& names) {
    AnisotropyValues out;
    out.kind = kind;
    for (std::size_t n = 0; n < Count; ++n) out.values[n] = image.read_point_array(names[n]);
    return out;
}

constexpr const char* base = "coordinates";  ///< numbers of its own
constexpr const char* system_mark = "system";

/// Visits every list of numbers of a file: visit(name, list). Single numbers are a list of their
/// own, `coordinates`, whose numbers keep their order.
struct Lists {
    NumberLists out;

    void operator()(const char*, Coordinates) {}
    void operator()(const char*, double number) { out[base].push_back(number); }
    void operator()(const char*, bool flag) { out[base].push_back(flag ? 1 : 0); }
    void operator()(const char* name, const std::vector<double>& numbers) {
        if (!numbers.empty()) out[name] = numbers;
    }
    void operator()(const char*, const CoordinateNumbers::Axes& axes) {
        for (std::size_t n = 0; n < axes.size(); ++n) (*this)(axis_names[n], axes[n]);
    }
};

/// The inverse of Lists.
struct FromLists {
    const std::function<std::vector<double>(const std::string&)>& read;
    std::vector<double> own = read(base);
    std::size_t next = 0;

    void operator()(const char*, Coordinates) {}
    void operator()(const char*, double& number) { number = own[next++]; }
    void operator()(const char*, bool& flag) { flag = own[next++] != 0; }
    void operator()(const char* name, std::vector<double>& numbers) { numbers = read(name); }
    void operator()(const char*, CoordinateNumbers::Axes& axes) {
        for (std::size_t n = 0; n < axes.size(); ++n) (*this)(axis_names[n], axes[n]);
    }
};

/// The name of the system of a file; empty without one. Files of before 0.3 have a number, which
/// `numbers` then begins with.
std::string system_of(const ImageReader& image, std::vector<double>& numbers) {
    const std::string named = image.read_label(base, system_mark);
    if (!named.empty()) return named;
    if (numbers.empty()) return {};
    const bool known = numbers.size() == 1 + numbers_of_system && numbers[0] >= 0 &&
                       numbers[0] <= static_cast<double>(Coordinates::terrain) &&
                       numbers[0] == static_cast<int>(numbers[0]);
    if (!known) {
        throw InputError(
            fmt::format("the coordinates are [{:g}] (must be the number of a system "
                        "from 0 to 3, a radius, and 0 or 1)",
                        fmt::join(numbers, ", ")));
    }
    const auto system = static_cast<Coordinates>(static_cast<int>(numbers[0]));
    numbers.erase(numbers.begin());
    return std::string(name_of(system));
}

CoordinateNumbers read_coordinates(const ImageReader& image) {
    std::vector<double> own = image.read_numbers(base);
    const std::string system = system_of(image, own);
    if (system.empty()) return {};
    return coordinates_from(system, [&](const std::string& name) {
        return name == base ? own : image.read_numbers(name);
    });
}

}  // namespace

NumberLists number_lists(const CoordinateNumbers& numbers) {
    Lists lists;
    visit_numbers(numbers, std::ref(lists));
    return lists.out;
}

CoordinateNumbers coordinates_from(
    const std::string& system,
    const std::function<std::vector<double>(const std::string& name)>& read) {
    CoordinateNumbers out;
    out.system = parse_choice<Coordinates>(system);
    FromLists from{read};
    if (from.own.size() != numbers_of_system) {
        throw InputError(
            fmt::format("{} coordinates have {} numbers (must have {}: a radius, and 0 or 1)",
                        system, from.own.size(), numbers_of_system));
    }
    visit_numbers(out, std::ref(from));
    return out;
}

void write_coordinates(ImageWriter& image, const Model& model) {
    if (model.is_plain()) return;
    const CoordinateNumbers& numbers = model.coordinates();
    for (const auto& [name, list] : number_lists(numbers)) image.add_numbers(name, list);
    image.label_numbers(base, system_mark, std::string(name_of(numbers.system)));
}

void write_metric(ImageWriter& image, const Model& model) {
    write_coordinates(image, model);
    if (model.anisotropy().kind == Anisotropy::elliptical) {
        write_arrays(image, tensor_names, model.anisotropy());
    } else if (model.has_thomsen()) {
        write_arrays(image, thomsen_names, model.anisotropy());
        const Field<float>& shear = model.anisotropy().values.back();
        if (!shear.empty()) image.add_point_array(shear_name, shear.view());
    }
}

std::shared_ptr<const Metric> read_metric(const ImageReader& image) {
    const std::vector<std::string> arrays = image.point_arrays();
    const auto has = [&](const char* name) {
        return std::find(arrays.begin(), arrays.end(), name) != arrays.end();
    };
    CoordinateNumbers coordinates = read_coordinates(image);
    AnisotropyValues anisotropy;
    if (has(tensor_names[0])) {
        anisotropy = read_arrays(image, Anisotropy::elliptical, tensor_names);
    } else if (has(thomsen_names[0])) {
        anisotropy = read_arrays(image, Anisotropy::thomsen, thomsen_names);
        if (has(shear_name)) anisotropy.values.back() = image.read_point_array(shear_name);
    }
    if (coordinates == CoordinateNumbers{} && anisotropy.kind == Anisotropy::none) return nullptr;
    return std::make_shared<const Metric>(image.grid(), std::move(coordinates),
                                          std::move(anisotropy));
}

}  // namespace fermat
