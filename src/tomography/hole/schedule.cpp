#include "tomography/hole/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"

namespace fermat {

void validate(std::span<const Stage> schedule) {
    if (schedule.empty()) throw InputError("the schedule has no stage (at least one is needed)");
    constexpr int most_iterations = 1000000;
    for (std::size_t n = 0; n < schedule.size(); ++n) {
        const Stage& stage = schedule[n];
        if (stage.iterations < 1 || stage.iterations > most_iterations) {
            throw InputError(
                fmt::format("stage {} of the schedule has {} iterations (must be from 1 to {})",
                            n + 1, stage.iterations, most_iterations));
        }
        try {
            validate(stage.cell);
            validate(stage.vertex);
            validate(SmoothingOptions{Smoother::running, stage.cell_passes});
            validate(SmoothingOptions{Smoother::running, stage.vertex_passes});
        } catch (const InputError& error) {
            throw InputError(fmt::format("stage {} of the schedule: {}", n + 1, error.what()));
        }
    }
}

std::vector<Stage> default_schedule(const Grid& grid, int iterations, double least) {
    constexpr int stages = 6;
    const Shape cells = grid.cell_shape();
    // An even box: it is centred on a node.
    const auto box = [&](int axis, int halvings) {
        const long half = std::min(std::lround(least / grid.spacing[axis] / 2), cells[axis] / 4L);
        return std::max({2, (cells[axis] >> halvings) / 2 * 2, static_cast<int>(2 * half)});
    };
    std::vector<Stage> schedule;
    for (int n = 1; n <= stages; ++n) {
        const bool flat = grid.is_2d();
        const SmoothingSize cell{box(0, n), flat ? 1 : box(1, n), box(2, n)};
        schedule.push_back(
            {iterations, cell, {cell.x + 1, flat ? 1 : cell.y + 1, cell.z + 1}, 1, 1});
    }
    return schedule;
}

}  // namespace fermat
