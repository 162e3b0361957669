#pragma once

#include <filesystem>
#include <string>

#include "tomography/invert.hpp"

namespace fermat {

/// Writes the state of a run, completely or not at all. `fingerprint` comes from run_fingerprint.
void write_checkpoint(const std::filesystem::path& path, const InversionState& state,
                      const std::string& fingerprint);

/// Reads the state of the run with this fingerprint. Throws InputError if the file is damaged or
/// belongs to another run.
InversionState read_checkpoint(const std::filesystem::path& path, const Grid& grid,
                               const std::string& fingerprint);

}  // namespace fermat
