#include "tomography/layers/invert_layers.hpp"

#include "core/error.hpp"
#include "tomography/layers/layer_problem.hpp"
#include "tomography/loop/normal_stepper.hpp"

namespace fermat {

LayerInversion invert_layers(const LayeredMedium& start, const PhasePicks& picks,
                             const LayerInversionOptions& options, const Execution& execution,
                             const InversionListener& listener) {
    validate_options(options.prior);
    validate_options(options.rays);
    validate(picks.survey);
    if (picks.survey.arrivals.empty()) throw InputError("there are no picks to invert");
    if (picks.phase_of.size() != picks.survey.arrivals.size()) {
        throw InputError("picks have no phase each");
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
    InversionResult run = Loop(stepper, execution, listener).run(std::nullopt);
    LayerInversion out{problem.medium(), std::move(run)};
    out.deviations = problem.deviations(stepper.x(), loop.gauss_newton.lambda);
    out.statuses = problem.statuses();
    return out;
}

}  // namespace fermat
