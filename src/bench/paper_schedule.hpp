#pragma once

#include <vector>

#include "tomography/hole/schedule.hpp"

namespace fermat::bench {

/// The schedule of paper 4 (Figure 8 and Table 1), for 206 x 76 x 25 cells.
std::vector<Stage> paper_schedule();

}  // namespace fermat::bench
