#include "tomography/gauss_newton/gauss_newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/parallel.hpp"
#include "tomography/gauss_newton/memory_estimate.hpp"
#include "tomography/gauss_newton/velocity_problem.hpp"
#include "tomography/loop/normal_stepper.hpp"

namespace fermat {
namespace {

/// Errors that residuals are divided by, one per pick.
std::vector<double> errors_of(const Survey& picks, const InversionOptions& options) {
    std::vector<double> errors;
    const bool given = picks.has_errors && options.weights == PickWeights::errors;
    const double alike = options.target_rms > 0 ? options.target_rms : 1;
    for (const Arrival& pick : picks.arrivals) errors.push_back(given ? pick.error : alike);
    return errors;
}

RayOptions forward_options(const InversionOptions& options) {
    RayOptions rays = ray_options(options);
    rays.reciprocity = Reciprocity::off;
    return rays;
}

bool is_turned(const Survey& picks) { return picks.stations.size() < picks.events.size(); }

Index3 ratio_of(const Model& start, const InversionOptions& options) {
    const Index3 asked = options.gauss_newton.ratio;
    const std::size_t most = start.grid().is_2d() ? 6000 : 30000;
    return asked.x > 0 ? asked : unknowns_ratio(start, most);
}

VelocityBounds bounds_of(const InversionOptions& options) {
    const UpdateLimits& limits = options.update;
    const bool given = limits.min_velocity > 0 && std::isfinite(limits.max_velocity);
    return given ? VelocityBounds(limits.min_velocity, limits.max_velocity) : VelocityBounds();
}

NormalStepper::Rules rules_of(const InversionOptions& options) {
    NormalStepper::Rules rules;
    if (options.target_chi2 > 0) rules.target_chi2 = options.target_chi2;
    rules.keeps_weight = options.gauss_newton.lambda > 0;
    return rules;
}

}  // namespace

InversionResult invert_gauss_newton(const Model& start, const Survey& picks,
                                    const InversionOptions& options, const Execution& execution,
                                    const InversionListener& listener,
                                    std::optional<InversionState> resume) {
    together(execution.ranks, [&] {
        MemoryPlan plan{start.grid(), ratio_of(start, options)};
        plan.threads = resolve_threads(execution.threads);
        plan.ranks = execution.ranks.size();
        plan.cuda = runs_on_cuda(options, execution.device, start);
        require_memory(plan, picks);
    });
    VelocityProblem problem(start, picks, options, execution);
    NormalStepper stepper(problem, picks, options, rules_of(options), execution);
    // A state may be of the ground alone; terms then begin at 0.
    if (resume && resume->unknowns.size() == problem.grid_size()) {
        resume->unknowns.resize(problem.size(), 0.0);
    }
    return Loop(stepper, execution, listener).run(std::move(resume));
}

CooledDown cool_down(const Model& start, const Survey& picks, const InversionOptions& options,
                     FoldTest& test, const std::function<double(const ScoreAt&)>& go_on,
                     const Execution& execution) {
    const Execution alone = execution.alone();
    VelocityProblem problem(start, picks, options, alone, VelocityProblem::Use::validation);
    const auto score = [&](const NormalStepper& run, double factor) {
        return problem.held_out(test, run.x(), run.right_side(), run.use(), factor * run.lambda(),
                                go_on && factor != 1);
    };
    NormalStepper::Rules rules = rules_of(options);
    rules.hears = false;
    rules.takes_back = false;
    if (go_on) rules.target_chi2 = 0;
    rules.steer = [&](const NormalStepper& run, double lambda) -> Steering {
        if (!go_on) return {run.chi2() <= 1};
        if (!(lambda > 0)) return {};
        const double factor = go_on([&](double by) { return score(run, by); });
        return {!(factor > 0), factor * lambda};
    };
    NormalStepper stepper(problem, picks, options, std::move(rules), alone);
    const InversionListener nobody;  // a loop keeps a reference to its listener
    Loop(stepper, alone, nobody).search();
    if (go_on) return {};
    constexpr double less = 1.0 / 9;
    CooledDown end;
    end.explained = stepper.chi2() <= 1;
    end.stalled = stepper.phase() == Cooling::Phase::stagnant;
    end.score = score(stepper, 1);
    if (end.explained) end.rougher = score(stepper, less).held_out;
    return end;
}

double reached_chi2(const Model& start, const Survey& picks, const InversionOptions& options,
                    double enough, const Execution& execution) {
    const Execution alone = execution.alone();
    InversionOptions own = options;
    own.gauss_newton.iterations = GaussNewtonOptions{}.iterations;
    VelocityProblem problem(start, picks, own, alone);
    NormalStepper::Rules rules = rules_of(own);
    double least = std::numeric_limits<double>::infinity();
    rules.steer = [&](const NormalStepper& run, double) -> Steering {
        least = std::min(least, run.chi2());
        return {least <= enough};
    };
    NormalStepper stepper(problem, picks, own, std::move(rules), alone);
    const InversionListener nobody;  // a loop keeps a reference to its listener
    Loop(stepper, alone, nobody).search();
    return least;
}

ProblemPlan problem_plan(const Model& start, const Survey& picks, const InversionOptions& options) {
    return {ratio_of(start, options), bounds_of(options), errors_of(picks, options),
            forward_options(options), is_turned(picks)};
}

Device forward_device(const Model& start, const InversionOptions& options,
                      const Execution& execution) {
    const bool cuda = runs_on_cuda(options, execution.device, start);
    return broadcast_value(execution.ranks, cuda) ? Device::automatic : Device::cpu;
}

}  // namespace fermat
