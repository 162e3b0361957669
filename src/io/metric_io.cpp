#include "io/metric_io.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "core/error.hpp"

namespace fermat {
namespace {

constexpr std::array<const char*, 6> tensor_names = {"tensor_xx", "tensor_yy", "tensor_zz",
                                                     "tensor_xy", "tensor_xz", "tensor_yz"};
constexpr std::array<const char*, 5> thomsen_names = {
    "thomsen_epsilon", "thomsen_delta", "thomsen_axis_x", "thomsen_axis_y", "thomsen_axis_z"};
constexpr std::array<const char*, 3> axis_names = {"axis_x", "axis_y", "axis_z"};
constexpr std::size_t numbers_of_system = 3;

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

CoordinateNumbers read_coordinates(const ImageReader& image) {
    CoordinateNumbers out;
    const std::vector<double> system = image.read_numbers("coordinates");
    if (system.empty()) return out;
    const bool known = system.size() == numbers_of_system && system[0] >= 0 &&
                       system[0] <= static_cast<double>(Coordinates::terrain) &&
                       system[0] == static_cast<int>(system[0]);
    if (!known) {
        throw InputError(
            fmt::format("the coordinates are [{:g}] (must be the number of a system "
                        "from 0 to 3, a radius, and 0 or 1)",
                        fmt::join(system, ", ")));
    }
    out.system = static_cast<Coordinates>(static_cast<int>(system[0]));
    out.radius = system[1];
    out.geodetic = system[2] != 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        out.axes[axis] = image.read_numbers(axis_names[axis]);
    }
    out.surface = image.read_numbers("surface");
    out.jumps = image.read_numbers("jumps");
    return out;
}

}  // namespace

void write_coordinates(ImageWriter& image, const Metric& metric) {
    const CoordinateNumbers& from = metric.coordinates();
    const std::array<double, numbers_of_system> system = {static_cast<double>(from.system),
                                                          from.radius, from.geodetic ? 1.0 : 0.0};
    image.add_numbers("coordinates", system);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (!from.axes[axis].empty()) image.add_numbers(axis_names[axis], from.axes[axis]);
    }
    if (!from.surface.empty()) image.add_numbers("surface", from.surface);
    if (!from.jumps.empty()) image.add_numbers("jumps", from.jumps);
}

void write_metric(ImageWriter& image, const Metric& metric) {
    write_coordinates(image, metric);
    if (metric.anisotropy().kind == Anisotropy::elliptical) {
        write_arrays(image, tensor_names, metric.anisotropy());
    } else if (metric.has_thomsen()) {
        write_arrays(image, thomsen_names, metric.anisotropy());
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
    }
    if (coordinates.system == Coordinates::cartesian && anisotropy.kind == Anisotropy::none) {
        return nullptr;
    }
    return std::make_shared<const Metric>(image.grid(), std::move(coordinates),
                                          std::move(anisotropy));
}

}  // namespace fermat
