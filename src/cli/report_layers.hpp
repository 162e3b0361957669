#pragma once

#include <filesystem>
#include <string>

namespace fermat::cli {

/// What a page shows of a run of later phases that has ended: its phases with their picks, in 2-D
/// its interfaces with the standard deviations of their depths, and some rays of each phase, traced
/// in the final medium. "null" of other runs.
std::string layers_json(const std::filesystem::path& run);

}  // namespace fermat::cli
