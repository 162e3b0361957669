#pragma once

#include <filesystem>
#include <string>

#include "model/model.hpp"

namespace fermat {

/// Writes velocity against depth as SEG-Y, revision 1, or 2 where the step of depth needs more
/// digits than revision 1 has: one trace per column of nodes or of cells' middles, IEEE floats, the
/// step of depth in thousandths as sample interval, x and y of the midpoint, inline and crossline.
/// Air is 0. Throws InputError where coordinates or the number of samples do not fit.
void write_segy_model(const std::filesystem::path& path, const Model& model,
                      const std::string& run);

}  // namespace fermat
