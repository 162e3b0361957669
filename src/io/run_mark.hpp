#pragma once

#include <filesystem>
#include <string>

namespace fermat {

/// The files of a run carry its identity, run_fingerprint's, under this name: HDF5 files as an
/// attribute, tables as their last column, settings.toml as a comment in its first line. So files
/// of two runs are told apart wherever they lie.
inline constexpr auto run_mark = "fermat_run";

/// The identity that a file carries; empty where it carries none or cannot be read.
std::string run_of_file(const std::filesystem::path& path);

/// The first line of a text file, with its end: "# fermat_run 0123456789abcdef".
std::string run_comment(const std::string& run);

}  // namespace fermat
