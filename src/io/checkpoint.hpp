#pragma once

#include <filesystem>
#include <string>

#include "tomography/invert.hpp"

namespace fermat {

/// Writes the state of a run, as a whole or not at all. `fingerprint` is run_fingerprint's.
void write_checkpoint(const std::filesystem::path& path, const InversionState& state,
                      const std::string& fingerprint);

/// Reads it for the run of that name. Throws InputError where the file is damaged or belongs to
/// another run.
InversionState read_checkpoint(const std::filesystem::path& path, const Grid& grid,
                               const std::string& fingerprint);

}  // namespace fermat
