#include "location/octree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <tuple>
#include <utility>

#include "core/parallel.hpp"

namespace fermat {
namespace {

constexpr double nowhere = -std::numeric_limits<double>::infinity();

double log_volume(Vec3 half) {
    double sum = 0;
    for (int axis = 0; axis < 3; ++axis) {
        if (half[axis] > 0) sum += std::log(2 * half[axis]);
    }
    return sum;
}

void judge(const Likelihood& likelihood, const Region& region, TreeCell& cell,
           Likelihood::Work& work) {
    const auto place = region.place_in(cell.middle, cell.half);
    cell.place = place.value_or(cell.middle);
    cell.log_density = place ? likelihood.at(*place, cell.size(), work).log : nowhere;
    cell.log_mass = cell.log_density + log_volume(cell.half);
}

}  // namespace

std::vector<TreeCell> filling_cells(const Region& region, Vec3 fixed, int count) {
    double volume = 1;
    const Vec3 length = region.box.high - region.box.low;
    for (int axis = 0; axis < 3; ++axis) {
        if (region.free[static_cast<std::size_t>(axis)]) volume *= length[axis];
    }
    const int dimensions = std::max(region.dimensions(), 1);
    const double side = std::pow(volume / count, 1.0 / dimensions);
    Index3 parts{1, 1, 1};
    Vec3 half;
    for (int axis = 0; axis < 3; ++axis) {
        if (!region.free[static_cast<std::size_t>(axis)]) continue;
        parts[axis] = std::clamp(static_cast<int>(std::lround(length[axis] / side)), 1, count);
        half[axis] = 0.5 * length[axis] / parts[axis];
    }
    std::vector<TreeCell> cells;
    for (int i = 0; i < parts.x; ++i) {
        for (int j = 0; j < parts.y; ++j) {
            for (int k = 0; k < parts.z; ++k) {
                const Index3 at{i, j, k};
                TreeCell cell;
                cell.half = half;
                for (int axis = 0; axis < 3; ++axis) {
                    cell.middle[axis] = region.free[static_cast<std::size_t>(axis)]
                                            ? region.box.low[axis] + (2 * at[axis] + 1) * half[axis]
                                            : fixed[axis];
                }
                cells.push_back(cell);
            }
        }
    }
    return cells;
}

FirstCells::FirstCells(const StationFields& fields, const Region& region, int count, int threads)
    : cells_(filling_cells(region, region.box.low, count)), fields_(fields.size()) {
    times_.resize(cells_.size() * fields_, std::numeric_limits<float>::infinity());
    std::vector<int> all(fields_);
    for (std::size_t n = 0; n < fields_; ++n) all[n] = static_cast<int>(n);
    parallel_for(static_cast<std::int64_t>(cells_.size()), threads, [&](std::int64_t i) {
        const auto n = static_cast<std::size_t>(i);
        const auto place = region.place_in(cells_[n].middle, cells_[n].half);
        cells_[n].place = place.value_or(cells_[n].middle);
        cells_[n].log_density = place ? 0 : nowhere;
        if (!place) return;
        std::vector<double> times(fields_);
        fields.times(all, *place, times.data());
        std::transform(times.begin(), times.end(), times_.begin() + i * std::ptrdiff_t(fields_),
                       [](double time) { return static_cast<float>(time); });
    });
}

void judge_cells(const Likelihood& likelihood, const Region& region, std::vector<TreeCell>& cells,
                 Likelihood::Work& work) {
    for (TreeCell& cell : cells) judge(likelihood, region, cell, work);
}

std::vector<TreeCell> judge_first(const Likelihood& likelihood, const FirstCells& first,
                                  Likelihood::Work& work) {
    std::vector<TreeCell> cells;
    cells.reserve(first.size());
    const std::vector<UsedPick>& picks = likelihood.picks();
    work.travel.resize(picks.size());
    for (std::size_t n = 0; n < first.size(); ++n) {
        TreeCell cell = first.cell(n);
        if (cell.log_density == nowhere) {
            cell.log_mass = nowhere;
        } else {
            const float* const times = first.times(n);
            for (std::size_t i = 0; i < picks.size(); ++i) {
                work.travel[i] = picks[i].stretch * static_cast<double>(times[picks[i].field]);
            }
            cell.log_density = likelihood.of_travel(cell.place, cell.size(), work).log;
            cell.log_mass = cell.log_density + log_volume(cell.half);
        }
        cells.push_back(cell);
    }
    return cells;
}

std::vector<TreeCell> grow_tree(const Likelihood& likelihood, const Region& region,
                                std::vector<TreeCell> first, const TreeEnd& end,
                                Likelihood::Work& work) {
    std::vector<TreeCell>& cells = first;
    // The heaviest first; of equal ones the earlier.
    std::priority_queue<std::pair<double, std::ptrdiff_t>> heaviest;
    std::vector<char> divided(cells.size(), 0);
    for (std::size_t n = 0; n < cells.size(); ++n) {
        heaviest.emplace(cells[n].log_mass, -static_cast<std::ptrdiff_t>(n));
    }
    const int children = 1 << region.dimensions();
    while (!heaviest.empty() && region.dimensions() > 0 &&
           cells.size() + static_cast<std::size_t>(children) <=
               static_cast<std::size_t>(end.cells)) {
        const auto n = static_cast<std::size_t>(-heaviest.top().second);
        const TreeCell parent = cells[n];
        if (parent.log_mass == nowhere || parent.size() < end.finest) break;
        heaviest.pop();
        divided[n] = 1;
        for (int child = 0; child < children; ++child) {
            TreeCell cell;
            cell.middle = parent.middle;
            int bit = 0;
            for (int axis = 0; axis < 3; ++axis) {
                if (!region.free[static_cast<std::size_t>(axis)]) continue;
                cell.half[axis] = 0.5 * parent.half[axis];
                cell.middle[axis] +=
                    ((child >> bit++) & 1) != 0 ? cell.half[axis] : -cell.half[axis];
            }
            judge(likelihood, region, cell, work);
            heaviest.emplace(cell.log_mass, -static_cast<std::ptrdiff_t>(cells.size()));
            cells.push_back(cell);
            divided.push_back(0);
        }
    }
    std::vector<TreeCell> leaves;
    for (std::size_t n = 0; n < cells.size(); ++n) {
        if (divided[n] == 0 && cells[n].log_density > nowhere) leaves.push_back(cells[n]);
    }
    std::stable_sort(leaves.begin(), leaves.end(), [](const TreeCell& a, const TreeCell& b) {
        return a.log_density > b.log_density;
    });
    return leaves;
}

}  // namespace fermat
