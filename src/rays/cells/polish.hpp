#pragma once

#include <vector>

#include "rays/cells/line_times.hpp"

namespace fermat {

/// Makes a path between two points one of locally least time, where velocity jumps between cells:
/// straight through cells of one velocity, bent where it slides on their faces, on the faster side
/// of edges. Returns its time, never more than before.
double polish(const Model& model, const LineTimes& times, std::vector<Vec3>& line);

}  // namespace fermat
