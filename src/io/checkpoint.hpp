#pragma once

#include <filesystem>
#include <string>

#include "tomography/invert.hpp"

namespace fermat {

/// Writes the state of a run, completely or not at all. `fingerprint` comes from run_fingerprint.
void write_checkpoint(const std::filesystem::path& path, const Place& place,
                      const InversionState& state, const std::string& fingerprint);

/// Reads the state of the run with this fingerprint. Throws InputError if the file is damaged or
/// belongs to another run.
InversionState read_checkpoint(const std::filesystem::path& path, const Grid& grid,
                               const std::string& fingerprint);

/// What a checkpoint tells of its run to others.
struct RunSnapshot {
    Model model;
    int iteration = 0;  ///< updates made, up to this model
    std::string run;    ///< its fingerprint
};

/// Reads the model of whatever run the checkpoint belongs to: its place and velocities, without
/// anisotropy. Throws InputError if the file is damaged.
RunSnapshot read_snapshot(const std::filesystem::path& path);

}  // namespace fermat
