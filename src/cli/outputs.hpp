#pragma once

#include <filesystem>
#include <string_view>

namespace fermat::cli {

// Checks of output names before any work is done, so that a long run cannot fail on a name.
// Each throws InputError that names the flag.

/// A model: .h5 (.hdf, .hdf5, .vtkhdf) or .npy.
void check_model_output(const std::filesystem::path& path);
/// Fields with their grid: .h5 (.hdf, .hdf5, .vtkhdf).
void check_image_output(const std::filesystem::path& path);

/// An output must not be the file that another flag names.
void check_different(std::string_view flag, const std::filesystem::path& path,
                     std::string_view other_flag, const std::filesystem::path& other);

}  // namespace fermat::cli
