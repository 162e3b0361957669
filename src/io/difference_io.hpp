#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "location/difference_weights.hpp"

namespace fermat {

/// One row per difference, CSV: events, station, phase, kind, time, residual and weight. `run`:
/// identity of the run that wrote it, if it is one of a run's files.
void write_difference_fits(const std::filesystem::path& path, const Survey& survey,
                           const std::vector<TimeDifference>& differences,
                           const DifferenceFits& found, const std::string& run = {});

}  // namespace fermat
