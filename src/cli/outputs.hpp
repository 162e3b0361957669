#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fermat::cli {

// Checks of the names of files before any work is done: no run can fail on a name at its end, and
// none can destroy what it read. Each throws InputError that names the flag.

/// A model: .h5 (.hdf, .hdf5, .vtkhdf) or .npy.
void check_model_output(const std::filesystem::path& path);

/// A file that a flag names, where the flag was given.
struct FlagFile {
    std::string flag;
    std::optional<std::filesystem::path> path;
};
/// HDF5: .h5 (.hdf, .hdf5, .vtkhdf).
void check_hdf5_output(const FlagFile& output);

/// What a flag's file is for.
enum class FileRole { input, output };
/// Notes the role of a flag's file in the flag, and gives the flag back.
CLI::Option* mark_file(CLI::Option* option, FileRole role);

/// The files that the running command's flags name, by the command line or by a configuration.
struct GivenFiles {
    std::vector<FlagFile> inputs;  ///< the configuration too
    std::vector<FlagFile> outputs;
};
GivenFiles given_files(CLI::App& root);

/// An output must be neither an input nor another output, under whatever names.
void check_different(std::span<const FlagFile> inputs, std::span<const FlagFile> outputs);

/// True where a file is what the program prints to, so that other lines would mix with it.
bool is_standard_output(const std::optional<std::filesystem::path>& path);

}  // namespace fermat::cli
