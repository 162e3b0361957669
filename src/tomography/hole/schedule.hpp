#pragma once

#include <span>
#include <vector>

#include "core/grid.hpp"
#include "tomography/smoothing/smoothing.hpp"

namespace fermat {

/// Iterations that share their smoothing. Large boxes first give stability, small ones last give
/// resolution (paper 4, section 3.2).
struct Stage {
    int iterations = 1;
    SmoothingSize cell;    ///< box of the cell smoother, in cells
    SmoothingSize vertex;  ///< box of the vertex smoother, in nodes
    int cell_passes = 1;
    int vertex_passes = 1;

    friend bool operator==(const Stage&, const Stage&) = default;
};

/// Throws InputError that names the stage, unless there is at least one and all can be done.
void validate(std::span<const Stage> schedule);

/// Six stages of `iterations` each, as paper 4's: boxes of half the model's cells along each axis
/// are halved from stage to stage, down to two cells and no shorter than
/// `least`, unless that is over half of the model; vertex boxes have one more.
std::vector<Stage> default_schedule(const Grid& grid, int iterations = 6, double least = 0);

}  // namespace fermat
