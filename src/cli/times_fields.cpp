#include "cli/times_fields.hpp"

#include <fmt/format.h>

#include <vector>

#include "core/error.hpp"
#include "io/npy.hpp"
#include "io/suffix.hpp"

namespace fermat::cli {
namespace {

Field<float> read_times(const std::filesystem::path& file, const Model& model) {
    const std::string suffix = suffix_of(file);
    if (suffix == ".npy") return read_npy(file);
    if (suffix != ".h5") {
        throw InputError(fmt::format(
            "--front is '{}' (must be .h5, as fermat times writes it, or .npy)", file.string()));
    }
    const ImageReader reader(file);
    if (!(reader.grid() == model.grid())) {
        throw InputError(fmt::format(
            "--front '{}' has another grid than the model (must be given on the model's "
            "nodes: shape {}, and its origin and spacing)",
            file.string(), to_string(model.grid().shape)));
    }
    const std::vector<std::string> names = reader.point_arrays();
    const bool named = std::find(names.begin(), names.end(), "time") != names.end();
    if (!named && names.size() != 1) {
        throw InputError(fmt::format(
            "--front '{}' has {} point arrays and none is called 'time' (must have one, or the "
            "front alone)",
            file.string(), names.size()));
    }
    return reader.read_point_array(named ? "time" : names.front());
}

}  // namespace

Field<double> read_front(const std::filesystem::path& file, const Model& model) {
    const Field<float> times = read_times(file, model);
    if (times.shape() != model.grid().shape) {
        throw InputError(fmt::format("--front '{}' has shape {} (must be the model's, {})",
                                     file.string(), to_string(times.shape()),
                                     to_string(model.grid().shape)));
    }
    Field<double> front(times.shape());
    std::copy(times.begin(), times.end(), front.begin());
    return front;
}

std::string gradient_array_name(const std::string& time_array, int axis) {
    return "gradient" + time_array.substr(std::string("time").size()) + "_" + "xyz"[axis];
}

}  // namespace fermat::cli
