#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/notes.hpp"
#include "io/text_file.hpp"
#include "location/difference_weights.hpp"

namespace fermat {

/// hypoDD's `dt.ct` (# id id, then station, two times of travel, weight, phase) or `dt.cc` (# id id
/// correction, then station, difference, weight, phase); the lines tell which. Differences of
/// events and stations that the survey does not have are left out, and so are pairs whose
/// correction of origin times is not known (-999); notes tell how many.
std::vector<TimeDifference> read_hypodd_differences(const TextFile& file, const Survey& survey,
                                                    Notes& notes);

/// One row per difference, CSV: events, station, phase, kind, time, residual and weight. `run`:
/// identity of the run that wrote it, if it is one of a run's files.
void write_difference_fits(const std::filesystem::path& path, const Survey& survey,
                           const std::vector<TimeDifference>& differences,
                           const DifferenceFits& found, const std::string& run = {});

}  // namespace fermat
