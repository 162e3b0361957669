#include "tomography/layers/invert_layers.hpp"

#include <utility>

#include "tomography/layers/layer_problem.hpp"
#include "tomography/loop/normal_stepper.hpp"

namespace fermat {

LayerInversion invert_layers(const LayeredMedium& start, const PhasePicks& picks,
                             const LayerInversionOptions& options, const Execution& execution,
                             const InversionListener& listener,
                             std::optional<InversionState> resume) {
    Ranks& ranks = execution.ranks;
    together(ranks, [&] { require_invertible(start, picks, options); });
    if (ranks.size() > 1) {
        require_same(ranks, {{"another run", run_fingerprint(start, picks, options)}});
    }
    // The prior is in deviations of its own, so that its weight is 1 unless somebody asks for
    // another.
    InversionOptions loop = options.loop;
    if (loop.gauss_newton.lambda == 0) loop.gauss_newton.lambda = 1;
    LayerProblem problem(start, picks, options, execution);
    NormalStepper::Rules rules;
    if (options.loop.target_chi2 > 0) rules.target_chi2 = options.loop.target_chi2;
    rules.keeps_weight = true;
    NormalStepper stepper(problem, picks.survey, loop, rules, execution);
    InversionResult run = Loop(stepper, execution, listener).run(std::move(resume));
    LayerInversion out{problem.medium(), std::move(run)};
    together(ranks, [&] {
        if (!ranks.is_root()) return;
        out.deviations = problem.deviations(stepper.x(), loop.gauss_newton.lambda);
        out.statuses = problem.statuses();
        out.depth_residual = problem.depth_residual(stepper.x());
        out.run.events = problem.events(stepper.x(), out.run.final_residual, out.run.final_use);
    });
    return out;
}

}  // namespace fermat
