#include "tomography/gauss_newton/memory_estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/device.hpp"
#include "core/error.hpp"
#include "core/memory.hpp"
#include "tomography/gauss_newton/unknowns.hpp"

namespace fermat {
namespace {

constexpr double entry_bytes = 8;  // a column and a value
constexpr double row_bytes = 36;   // start, pick, weight, and what rank 0 keeps per pick

double entries_of_rows(const Grid& unknowns, const Survey& picks) {
    constexpr double detour = 1.25;  // of a ray, against the straight line
    const double per_plane = unknowns.is_2d() ? 2 : 4;
    const double ends = unknowns.is_2d() ? 4 : 8;
    double sum = 0;
    for (const Arrival& pick : picks.arrivals) {
        const Vec3 a = unknowns.to_index(picks.event_of(pick).position);
        const Vec3 b = unknowns.to_index(picks.station_of(pick).position);
        const double planes = std::abs(a.x - b.x) + std::abs(a.y - b.y) + std::abs(a.z - b.z);
        sum += detour * per_plane * planes + ends;
    }
    return sum;
}

std::string gigabytes(double bytes) { return fmt::format("{:.3g} GB", 1e-9 * bytes); }

bool fits(const MemoryEstimate& estimate, const MemoryLimits& limits, bool cuda) {
    return estimate.host() <= limits.host && (!cuda || estimate.device() <= limits.device);
}

std::string text_of(const Grid& grid, Index3 ratio) {
    return grid.is_2d() ? fmt::format("{},{}", ratio.x, ratio.z)
                        : fmt::format("{},{},{}", ratio.x, ratio.y, ratio.z);
}

Index3 widened(const Grid& grid, Index3 ratio, int factor) {
    for (int axis = 0; axis < 3; ++axis) {
        ratio[axis] = std::clamp(ratio[axis] * factor, 1, std::max(grid.shape[axis] - 1, 1));
    }
    return ratio;
}

/// The same box with nodes so many times as far apart.
Grid coarsened(const Grid& grid, int factor) {
    Grid out = grid;
    const auto nodes = [&](int count) { return std::max((count - 1) / factor + 1, 2); };
    out.shape = {nodes(grid.shape.x), grid.is_2d() ? 1 : nodes(grid.shape.y), nodes(grid.shape.z)};
    out.spacing = {grid.spacing.x * factor, grid.spacing.y * factor, grid.spacing.z * factor};
    return out;
}

/// What would fit, as the end of the sentence.
std::string remedy(const MemoryPlan& plan, const Survey& picks, const MemoryLimits& limits) {
    constexpr int most_factor = 64;
    for (int factor = 2; factor <= most_factor; ++factor) {
        MemoryPlan coarser = plan;
        coarser.ratio = widened(plan.grid, plan.ratio, factor);
        const MemoryEstimate needs = estimate_memory(coarser, picks);
        if (!fits(needs, limits, plan.cuda)) continue;
        return fmt::format("use `unknown_ratio={}`, which needs about {}",
                           text_of(plan.grid, coarser.ratio),
                           gigabytes(plan.cuda ? needs.device() : needs.host()));
    }
    for (int factor = 2; factor <= most_factor; ++factor) {
        MemoryPlan coarser = plan;
        coarser.grid = coarsened(plan.grid, factor);
        const MemoryEstimate needs = estimate_memory(coarser, picks);
        if (!fits(needs, limits, plan.cuda)) continue;
        return fmt::format("use a grid of `spacing={:g}`, which needs about {}",
                           coarser.grid.spacing.x,
                           gigabytes(plan.cuda ? needs.device() : needs.host()));
    }
    return "use fewer picks";
}

}  // namespace

MemoryEstimate estimate_memory(const MemoryPlan& plan, const Survey& picks) {
    const Grid coarse = unknowns_grid(plan.grid, plan.ratio);
    const auto nodes = static_cast<double>(plan.grid.node_count());
    const auto places = static_cast<double>(coarse.node_count());
    const auto unknowns = places + static_cast<double>(plan.extra);
    const auto count = static_cast<double>(picks.arrivals.size());
    const double ranks = plan.ranks;
    double cosines = 0;
    for (int axis = 0; axis < 3; ++axis) {
        cosines += 16.0 * coarse.shape[axis] * coarse.shape[axis];
    }

    MemoryEstimate out;
    out.unknowns = coarse.node_count() + plan.extra;
    out.entries = entries_of_rows(coarse, picks);
    // Rank 0 may trace more than its share.
    const double share = ranks > 1 ? 1.2 / ranks : 1;
    const double rows = share * (entry_bytes * out.entries + row_bytes * count);
    out.rows = 2 * rows;
    out.models = 60 * nodes;
    out.fields = (plan.cuda ? 1 : plan.threads) * 16 * nodes;
    // Doubles of conjugate gradients (8), of the preconditioner (2), of the model (4); neighbours,
    // weights and places; a thread's sums for rows and for products.
    out.solver = unknowns * (14 * 8 + 60 + 16.0 * plan.threads) + cosines;
    if (plan.cuda) {
        out.device_rows = rows;
        out.device_other = unknowns * (10 * 8 + 56) + cosines + 16 * nodes;
    }
    return out;
}

MemoryLimits memory_limits(bool cuda) {
    return {machine_memory(),
            cuda ? static_cast<double>(device_info(device_in_use()).memory_bytes) : 0};
}

std::string memory_refusal(const MemoryPlan& plan, const Survey& picks,
                           const MemoryLimits& limits) {
    const MemoryEstimate needs = estimate_memory(plan, picks);
    if (fits(needs, limits, plan.cuda)) return {};
    const bool host = needs.host() > limits.host;
    return fmt::format(
        "{} unknowns and {} picks need about {} of memory, {} for the rows of picks, and {} has {} "
        "({})",
        needs.unknowns, picks.arrivals.size(), gigabytes(host ? needs.host() : needs.device()),
        gigabytes(host ? needs.rows : needs.device_rows), host ? "this machine" : "the CUDA device",
        gigabytes(host ? limits.host : limits.device), remedy(plan, picks, limits));
}

void require_memory(const MemoryPlan& plan, const Survey& picks) {
    const std::string why = memory_refusal(plan, picks, memory_limits(plan.cuda));
    if (!why.empty()) throw InputError(why);
}

}  // namespace fermat
