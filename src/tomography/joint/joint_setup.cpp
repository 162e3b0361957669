#include "tomography/joint/joint_setup.hpp"

#include <algorithm>

#include "core/parallel.hpp"
#include "tomography/gauss_newton/gauss_newton.hpp"
#include "tomography/gauss_newton/memory_estimate.hpp"
#include "tomography/joint/difference_rows.hpp"
#include "tomography/joint/event_blocks.hpp"

namespace fermat {

Medium joint_medium(const Medium& start, const JointOptions& joint, const Survey& picks) {
    const std::size_t wanted = phases_of(picks).size();
    if (wanted == 1) return start.first();
    return start.phases().size() == wanted ? start : Medium::of_ratio(start.first(), joint.vp_vs);
}

JointLayout joint_layout(const JointForward& forward, const JointOptions& joint, std::size_t terms,
                         std::size_t events) {
    JointLayout layout;
    layout.grid = forward.unknowns().size();
    layout.has_ratio = forward.phases().size() == 2;
    const Velocities found = joint.velocities;
    layout.finds_velocity = layout.has_ratio ? found == Velocities::both || found == Velocities::p
                                             : found != Velocities::none;
    layout.finds_ratio = layout.has_ratio && (found == Velocities::both || found == Velocities::s);
    layout.terms = terms;
    layout.events = joint.relocate == Relocate::none ? 0 : events;
    return layout;
}

std::vector<double> joint_offset(const JointForward& forward, const JointLayout& layout,
                                 const Roughness& roughness, const GaussNewtonOptions& options) {
    std::vector<double> offset(layout.velocities(), 0.0);
    const std::vector<double>& start = forward.parameters(0).start_on_unknowns();
    const bool blocky = roughness.kind() == Regularisation::blocky;
    if (blocky || options.reference) std::copy(start.begin(), start.end(), offset.begin());
    if (!blocky && options.reference) {
        const std::vector<double> other = forward.parameters(0).on_unknowns(*options.reference);
        for (std::size_t u = 0; u < other.size(); ++u) offset[u] -= other[u];
    }
    if (blocky && layout.has_ratio) {
        const std::vector<double>& of_s = forward.parameters(1).start_on_unknowns();
        for (std::size_t u = 0; u < of_s.size(); ++u) {
            offset[layout.grid + u] = of_s[u] - start[u];
        }
    }
    return offset;
}

void require_joint_memory(const Medium& start, const Survey& picks, const InversionOptions& options,
                          const Execution& execution) {
    MemoryPlan plan{start.grid(), problem_plan(start.first(), picks, options).ratio};
    plan.threads = resolve_threads(execution.threads);
    plan.ranks = execution.ranks.size();
    plan.cuda = runs_on_cuda(options, execution.device, start.first());
    plan.extra = event_unknowns * picks.events.size();
    const DifferenceRows rows(picks, picks.differences, options.joint.weighting, 1);
    require_memory(plan, rows.arrivals());
}

}  // namespace fermat
