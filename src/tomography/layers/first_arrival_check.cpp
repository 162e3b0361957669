#include "tomography/layers/first_arrival_check.hpp"

#include <algorithm>
#include <utility>

#include "eikonal/eikonal.hpp"
#include "phases/leg_lists.hpp"

namespace fermat {
namespace {

/// One velocity per node; above the surface that of the first layer.
Model filled(const LayeredMedium& medium, Phase wave) {
    const Grid& grid = medium.grid();
    Field<float> velocity(grid.shape);
    for (int i = 0; i < grid.shape.x; ++i) {
        const double x = grid.position({i, 0, 0}).x;
        std::vector<double> tops;
        for (const Interface& one : medium.interfaces()) tops.push_back(one.depth_at(x, 0));
        int layer = 0;
        for (int k = 0; k < grid.shape.z; ++k) {
            const double z = grid.position({0, 0, k}).z;
            while (layer + 1 < medium.layer_count() &&
                   tops[static_cast<std::size_t>(layer) + 1] <= z) {
                ++layer;
            }
            velocity(i, 0, k) = medium.model(layer, wave).velocity()(i, 0, k);
        }
    }
    return Model(grid, std::move(velocity));
}

bool dives_anywhere(const Branch& branch) { return branch.steps.empty() && branch.dives; }

}  // namespace

std::vector<BranchRay> trace_checked(const LayeredMedium& medium, const Branch& branch,
                                     std::span<const Vec3> sources, std::span<const Vec3> receivers,
                                     std::span<const RayPair> pairs, const PhaseOptions& options,
                                     const Execution& execution) {
    std::vector<BranchRay> out;
    for (auto& rays : trace_branch(medium, branch, sources, receivers, pairs, options, execution)) {
        out.push_back(std::move(rays.front()));
    }
    const Model& first = medium.layers().front().p;
    if (!dives_anywhere(branch) || !medium.grid().is_2d() || !first.is_plain()) return out;
    const Model model = filled(medium, branch.last);
    std::vector<PointSource> points;
    for (const Vec3& p : sources) points.push_back({p, 0});
    const std::vector<double> times = receiver_times(model, points, receivers, {}, execution);
    const auto& slow = first.velocity();
    const double cell =
        medium.grid().spacing.z / *std::min_element(slow.data(), slow.data() + slow.size());
    const auto is_late = [&](std::size_t n, double part) {
        const double time = times[static_cast<std::size_t>(pairs[n].source) * receivers.size() +
                                  static_cast<std::size_t>(pairs[n].receiver)];
        return !has_arrived(out[n].status) || out[n].time > (1 + part) * time + cell;
    };
    std::vector<std::size_t> late;
    std::vector<RayPair> back;
    for (std::size_t n = 0; n < pairs.size(); ++n) {
        if (!is_late(n, 0.03)) continue;
        late.push_back(n);
        back.push_back(pairs[n].turned());
    }
    PhaseOptions from_other_end = options;
    from_other_end.other_end = true;
    auto again = trace_branch(medium, branch, receivers, sources, back, from_other_end, execution);
    for (std::size_t k = 0; k < late.size(); ++k) {
        BranchRay& ray = out[late[k]];
        BranchRay& other = again[k].front();
        if (has_arrived(other.status) && (!has_arrived(ray.status) || other.time < ray.time)) {
            ray = std::move(other);
            turn_round(ray);
        }
        if (has_arrived(ray.status) && is_late(late[k], 0.1)) ray.status = BranchStatus::unsettled;
    }
    return out;
}

}  // namespace fermat
