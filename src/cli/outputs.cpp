#include "cli/outputs.hpp"

#include <fmt/format.h>

#include <system_error>

#include "cli/values.hpp"
#include "core/error.hpp"
#include "io/suffix.hpp"

namespace fermat::cli {
namespace {

namespace fs = std::filesystem;

bool has_image_suffix(const fs::path& path) {
    const std::string suffix = suffix_of(path);
    return suffix == ".h5" || suffix == ".hdf" || suffix == ".hdf5" || suffix == ".vtkhdf";
}

}  // namespace

void check_model_output(const fs::path& path) {
    if (has_image_suffix(path) || suffix_of(path) == ".npy") return;
    throw InputError(
        flag_message("--output", path.string(), "must end in .h5, or in .npy for values only"));
}

void check_image_output(const fs::path& path) {
    if (has_image_suffix(path)) return;
    throw InputError(flag_message("--output", path.string(), "must end in .h5"));
}

void check_different(std::string_view flag, const fs::path& path, std::string_view other_flag,
                     const fs::path& other) {
    std::error_code ignored;
    if (path.lexically_normal() != other.lexically_normal() &&
        !fs::equivalent(path, other, ignored)) {
        return;
    }
    throw InputError(flag_message(
        flag, path.string(), fmt::format("is the file of {} too: must be another", other_flag)));
}

}  // namespace fermat::cli
