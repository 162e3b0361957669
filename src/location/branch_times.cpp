#include "location/branch_times.hpp"

#include <limits>
#include <optional>

#include "phases/derivatives.hpp"

namespace fermat {

bool BranchTimes::holds(Vec3 flat) const {
    const Place& place = medium_.place();
    if (!place.holds_flat(flat)) return false;
    const Vec3 user = place.mapping().flat_to_user(flat);
    return medium_.interfaces().front().depth_at(user.x, user.y) <= user.z;
}

std::array<Vec3, 3> BranchTimes::slope(Vec3 flat) const {
    const Place& place = medium_.place();
    const Vec3 cell = place.cell_at_middle();
    const double step = 1e-3 * std::min(cell.x, cell.z);
    std::array<Vec3, 3> out{};
    for (int axis = 0; axis < 3; ++axis) {
        if (axis == 1 && place.grid().is_2d()) continue;
        Vec3 before = flat;
        Vec3 after = flat;
        before[axis] -= step;
        after[axis] += step;
        const Vec3 change = place.mapping().place(place.flat_to_grid(after)) -
                            place.mapping().place(place.flat_to_grid(before));
        out[static_cast<std::size_t>(axis)] = change / (2 * step);
    }
    return out;
}

std::vector<BranchTime> BranchTimes::at(Vec3 flat, std::span<const BranchPick> picks,
                                        bool slopes) const {
    const Mapping& mapping = medium_.place().mapping();
    const std::vector<Vec3> source = {mapping.flat_to_user(flat)};
    std::vector<BranchTime> out(picks.size());
    for (BranchTime& one : out) one.travel = std::numeric_limits<double>::infinity();
    std::map<const Branch*, std::vector<std::size_t>> by_branch;
    for (std::size_t n = 0; n < picks.size(); ++n) by_branch[picks[n].branch].push_back(n);
    std::optional<std::array<Vec3, 3>> by_flat;
    const Vec3 lengths = mapping.flat_lengths(flat);
    for (const auto& [branch, numbers] : by_branch) {
        std::vector<Vec3> stations;
        std::vector<RayPair> pairs;
        for (const std::size_t n : numbers) {
            pairs.push_back({0, static_cast<std::int32_t>(stations.size())});
            stations.push_back(picks[n].station);
        }
        const auto rays = trace_branch(medium_, *branch, source, stations, pairs, {}, execution_);
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            BranchTime& one = out[numbers[i]];
            const BranchRay& ray = rays[i].front();
            one.status = ray.status;
            if (!has_arrived(ray.status)) continue;
            one.travel = ray.time;
            if (!slopes) continue;
            if (!by_flat) by_flat = slope(flat);
            const Vec3 cartesian = derivative_of(medium_, ray).source;
            Vec3 leaving;
            for (int axis = 0; axis < 3; ++axis) {
                one.gradient[axis] = dot(cartesian, (*by_flat)[static_cast<std::size_t>(axis)]);
                leaving[axis] = -one.gradient[axis] / lengths[axis];
            }
            const double length = norm(leaving);
            if (length > 0) one.leaving = leaving / length;
        }
    }
    return out;
}

}  // namespace fermat
