#pragma once

#include <filesystem>
#include <string>

namespace fermat {

/// The files of a run carry its identity (from run_fingerprint) under this name: HDF5 files as an
/// attribute, tables as their last column, settings.toml as a comment in its first line, XML as an
/// attribute of the root. Files of two runs can thus be told apart in any folder.
inline constexpr auto run_mark = "fermat_run";

/// The identity that a file carries; empty if it has none or cannot be read.
std::string run_of_file(const std::filesystem::path& path);

/// The first line of a text file, including its line end: "# fermat_run 0123456789abcdef".
std::string run_comment(const std::string& run);

}  // namespace fermat
