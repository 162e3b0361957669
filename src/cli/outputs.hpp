#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string_view>

namespace fermat::cli {

// Checks of output names before any work is done, so that a long run cannot fail on a name.
// Each throws InputError that names the flag.

/// A model: .h5 (.hdf, .hdf5, .vtkhdf) or .npy.
void check_model_output(const std::filesystem::path& path);

/// A file that a flag names, where the flag was given.
struct FlagFile {
    std::string_view flag;
    std::optional<std::filesystem::path> path;
};
/// HDF5: .h5 (.hdf, .hdf5, .vtkhdf).
void check_hdf5_output(const FlagFile& output);

/// An output must be neither an input nor another output.
void check_different(std::span<const FlagFile> inputs, std::span<const FlagFile> outputs);

/// True where a file is what the program prints to, so that other lines would mix with it.
bool is_standard_output(const std::optional<std::filesystem::path>& path);

}  // namespace fermat::cli
