#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fermat::cli {

// Checks of file names before any work is done, so that no run fails at its end because of a name
// or overwrites its input. Each throws InputError that names the flag.

/// Checks the name of a model: .h5 (.hdf, .hdf5, .vtkhdf) or .npy.
void check_model_output(const std::filesystem::path& path);

/// What a flag names.
enum class FileRole {
    input,
    output,
    folder,            ///< to write into, which need not be there
    output_or_folder,  ///< a folder if the name has no suffix
    prefix,            ///< the start of the names of files to write
};

/// The file that a flag names, if the flag was given.
struct FlagFile {
    std::string flag;
    std::optional<std::filesystem::path> path;
    FileRole role = FileRole::output;  ///< of an output
};
/// Checks the name of an HDF5 file: .h5 (.hdf, .hdf5, .vtkhdf).
void check_hdf5_output(const FlagFile& output);

/// Marks a flag with the role of its file, and returns the flag.
CLI::Option* mark_file(CLI::Option* option, FileRole role);

/// The files that the flags of the running command name, on the command line or in a configuration.
struct GivenFiles {
    std::vector<FlagFile> inputs;  ///< including the configuration file
    std::vector<FlagFile> outputs;
};
GivenFiles given_files(CLI::App& root);

/// Throws if an output is an input or another output, even under different names.
void check_different(std::span<const FlagFile> inputs, std::span<const FlagFile> outputs);

/// Throws if an output cannot be written: its folder is not there, may not be written, or has its
/// name.
void check_writable(std::span<const FlagFile> outputs);

/// True if a file is the program's standard output, where other lines would mix with it.
bool is_standard_output(const std::optional<std::filesystem::path>& path);

}  // namespace fermat::cli
