#pragma once

#include <cstddef>
#include <string>

#include "core/grid.hpp"
#include "survey/survey.hpp"

namespace fermat {

/// What an inversion by Gauss-Newton steps is to be run with.
struct MemoryPlan {
    Grid grid;              ///< of the model
    Index3 ratio{1, 1, 1};  ///< spacing of the unknowns in the model's
    int threads = 1;        ///< of each rank
    int ranks = 1;
    bool cuda = false;
    std::size_t extra = 0;  ///< unknowns behind the grid's
};

/// Bytes that each rank is going to need, by what for.
struct MemoryEstimate {
    std::size_t unknowns = 0;
    double entries = 0;  ///< of the rows of all picks
    double rows = 0;     ///< of the present model and of the one that is tried
    double models = 0;   ///< models and their derivatives
    double fields = 0;   ///< time fields and rays under way
    double solver = 0;   ///< vectors, roughness and cosines, and what threads add up
    double device_rows = 0;
    double device_other = 0;  ///< the solver, the model and one field

    double host() const { return rows + models + fields + solver; }
    double device() const { return device_rows + device_other; }
};

/// Estimated before anything is computed. A row has about as many entries as a straight line
/// between its points, a quarter longer, has nodes beside it: at each plane of nodes that it
/// crosses, 4 (2 in 2-D) of the unknowns' grid.
MemoryEstimate estimate_memory(const MemoryPlan& plan, const Survey& picks);

/// Memory that there is, in bytes. A device's counts where one is used.
struct MemoryLimits {
    double host = 0;
    double device = 0;
};
MemoryLimits memory_limits(bool cuda);

/// Why the inversion does not fit, with the coarser unknowns (`unknown_ratio`) or the coarser grid
/// (`spacing`) that would, as a sentence; empty where it fits.
std::string memory_refusal(const MemoryPlan& plan, const Survey& picks, const MemoryLimits& limits);

/// Throws InputError with that sentence.
void require_memory(const MemoryPlan& plan, const Survey& picks);

}  // namespace fermat
