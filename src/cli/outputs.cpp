#include "cli/outputs.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <system_error>

#include "cli/values.hpp"
#include "core/error.hpp"
#include "io/suffix.hpp"

namespace fermat::cli {
namespace {

namespace fs = std::filesystem;

bool has_hdf5_suffix(const fs::path& path) {
    const std::string suffix = suffix_of(path);
    return suffix == ".h5" || suffix == ".hdf" || suffix == ".hdf5" || suffix == ".vtkhdf";
}

void check_pair(const FlagFile& file, const FlagFile& other) {
    if (!file.path || !other.path) return;
    std::error_code ignored;
    if (file.path->lexically_normal() != other.path->lexically_normal() &&
        !fs::equivalent(*file.path, *other.path, ignored)) {
        return;
    }
    throw InputError(
        flag_message(file.flag, file.path->string(),
                     fmt::format("is the file of {} too: must be another", other.flag)));
}

}  // namespace

void check_model_output(const fs::path& path) {
    if (has_hdf5_suffix(path) || suffix_of(path) == ".npy") return;
    throw InputError(
        flag_message("--output", path.string(), "must end in .h5, or in .npy for values only"));
}

void check_hdf5_output(const FlagFile& output) {
    if (!output.path || has_hdf5_suffix(*output.path)) return;
    throw InputError(flag_message(output.flag, output.path->string(), "must end in .h5"));
}

void check_different(std::span<const FlagFile> inputs, std::span<const FlagFile> outputs) {
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        for (const FlagFile& input : inputs) check_pair(outputs[i], input);
        for (const FlagFile& earlier : outputs.first(i)) check_pair(outputs[i], earlier);
    }
}

bool is_standard_output(const std::optional<fs::path>& path) {
    // fs::equivalent knows neither pipes nor terminals.
    struct stat file {};
    struct stat printed {};
    return path && ::stat(path->c_str(), &file) == 0 && ::fstat(STDOUT_FILENO, &printed) == 0 &&
           file.st_dev == printed.st_dev && file.st_ino == printed.st_ino;
}

}  // namespace fermat::cli
