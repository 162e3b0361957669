#include "tomography/adjoint/gradient_stepper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "core/random_stream.hpp"
#include "core/stopwatch.hpp"
#include "tomography/gauss_newton/model_change.hpp"
#include "tomography/loop/normal_problem.hpp"
#include "tomography/stop_reason.hpp"

namespace fermat {

GradientStepper::GradientStepper(const Model& start, const Survey& picks,
                                 const InversionOptions& options, const Execution& execution)
    : picks_(picks),
      plan_(problem_plan(start, picks, options)),
      survey_(plan_.turned ? exchanged(picks) : picks),
      options_(options),
      outliers_(options.outliers.value_or(default_outliers)),
      execution_(execution),
      ranks_(execution.ranks),
      threads_(resolve_threads(execution.threads)),
      parameters_(start, plan_.ratio, plan_.bounds),
      roughness_(parameters_.unknowns(), options.gauss_newton.roughness),
      spectral_(parameters_.unknowns(), roughness_),
      cooling_(options.target_chi2 > 0 ? options.target_chi2 : 1, options.gauss_newton.lambda > 0),
      model_(start.copy()),
      weights_(plan_.errors.size()),
      trial_(parameters_.unknowns().size(), 0.0) {
    for (std::size_t n = 0; n < weights_.size(); ++n) weights_[n] = 1 / plan_.errors[n];
}

/// The present model is solved again; all else is as it was.
void GradientStepper::take_up(InversionState&& state) {
    cooling_.restore(state.method.cooling);
    const GradientState& kept = state.method.gradients;
    curvature_ = kept.curvature;
    const std::size_t size = state.unknowns.size();
    for (std::size_t at = 0; at + 2 * size <= kept.pairs.size(); at += 2 * size) {
        const auto from = kept.pairs.begin() + static_cast<std::ptrdiff_t>(at);
        const auto middle = from + static_cast<std::ptrdiff_t>(size);
        lbfgs_.remember({{from, middle}, {middle, middle + static_cast<std::ptrdiff_t>(size)}});
    }
    aim_at(Aim::resumed, std::move(state.unknowns));
}

/// One pass over all events at a model, on all ranks: its gradient by the samples, and times.
PickGradient GradientStepper::pass(Task task, Vector& x) {
    ranks_.broadcast(std::as_writable_bytes(std::span(x)));
    ranks_.broadcast(std::as_writable_bytes(std::span(weights_)));
    const Model model = parameters_.model_of(x, threads_);
    const PullOfPick pull = [&](std::size_t pick, double time) {
        if (task == Task::coverage) return weights_[pick] > 0 ? 1.0 : 0.0;
        if (task == Task::probe) return weights_[pick] * RandomStream(1, pick).sign();
        return weights_[pick] * weights_[pick] * (time - survey_.arrivals[pick].time);
    };
    return pick_gradient(model, survey_, pull, options_.eikonal, execution_);
}

PassCost GradientStepper::predict() {
    const Stopwatch watch;
    found_ = pass(broadcast_value(ranks_, task_), trial_);
    return {watch.seconds(), 0};
}

GradientStepper::Vector GradientStepper::by_unknowns(const Vector& x, const Vector& samples) const {
    const std::vector<float> slopes = parameters_.slopes_at(x, threads_);
    Vector out(parameters_.unknowns().size(), 0.0);
    for (std::size_t n = 0; n < samples.size(); ++n) {
        if (samples[n] == 0 || slopes[n] == 0) continue;
        parameters_.unknowns().for_each_of_sample(n, [&](std::size_t u, double weight) {
            out[u] += weight * samples[n] * static_cast<double>(slopes[n]);
        });
    }
    return out;
}

/// The trial, by what its pass has found.
GradientStepper::Candidate GradientStepper::candidate() {
    Candidate out{trial_, Vector(found_.time.size()), {}};
    for (std::size_t n = 0; n < out.residual.size(); ++n) {
        out.residual[n] = survey_.arrivals[n].time - found_.time[n];
    }
    out.gradient = by_unknowns(out.x, found_.samples);
    return out;
}

GradientStepper::Vector GradientStepper::scaled(const Vector& residual) const {
    Vector z(residual.size());
    for (std::size_t n = 0; n < z.size(); ++n) z[n] = residual[n] / plan_.errors[n];
    return z;
}

/// The picks that the next steps listen to. True if they changed.
bool GradientStepper::renew_uses() {
    const Vector z = scaled(now_.residual);
    use_ = uses_of(z, outliers_);
    chi2_ = chi2_of(z, use_);
    bool changed = false;
    bool any = false;
    for (std::size_t n = 0; n < use_.size(); ++n) {
        const double weight = use_[n] == PickUse::rejected ? 0 : 1 / plan_.errors[n];
        changed |= weight != weights_[n];
        any |= use_[n] == PickUse::used;
        weights_[n] = weight;
    }
    if (!any) {
        throw InputError(fmt::format(
            "no pick of {} can be used (no wave arrives, or all are outliers)", use_.size()));
    }
    return changed;
}

GradientStepper::Vector GradientStepper::regularised(const Vector& x) const {
    return parameters_.regularised(x, roughness_.kind());
}

GradientStepper::Vector GradientStepper::rough(const Vector& x) const {
    Vector out(x.size());
    roughness_.apply(x, out, threads_);
    return out;
}

/// By the present picks; one that either model lost does not count.
double GradientStepper::objective(const Candidate& model, const Candidate& other) const {
    double sum = 0;
    for (std::size_t n = 0; n < weights_.size(); ++n) {
        if (std::isnan(model.residual[n]) || std::isnan(other.residual[n])) continue;
        const double z = weights_[n] * model.residual[n];
        sum += z * z;
    }
    const Vector m = regularised(model.x);
    return 0.5 * (sum + cooling_.lambda() * inner(m, rough(m)));
}

void GradientStepper::aim_at(Aim aim, Vector x, Task task) {
    aim_ = aim;
    trial_ = std::move(x);
    task_ = task;
    aimed_ = true;
}

Verdict GradientStepper::judge() {
    aimed_ = false;
    if (aim_ == Aim::line) return try_step();
    if (task_ == Task::probe) return begin();
    now_ = candidate();
    if (aim_ == Aim::weight) return settle_weight();
    if (passes_again()) return Verdict::taken;
    if (aim_ == Aim::back) return go_back();
    if (aim_ == Aim::start) {
        aim_at(aim_, now_.x, Task::probe);
        return Verdict::taken;
    }
    model_ = parameters_.model_of(now_.x, threads_);
    roughness_.reweight(regularised(now_.x));
    return Verdict::amended;
}

/// Whether other picks count by the present model, whose gradient is then another.
bool GradientStepper::passes_again() {
    if (std::exchange(once_more_, false) || !renew_uses()) return false;
    once_more_ = true;
    aim_at(aim_, now_.x);
    return true;
}

/// With the trace of A^T A, by its action on random signs (Hutchinson 1990).
Verdict GradientStepper::begin() {
    const Vector pulled = by_unknowns(now_.x, found_.samples);
    curvature_ = inner(pulled, pulled);
    roughness_.reweight(regularised(now_.x));
    const double asked = options_.gauss_newton.lambda;
    cooling_.start(asked > 0 ? asked
                             : much_weight(roughness_.kind()) * curvature_ / roughness_.trace());
    change_ = 0;
    return Verdict::accepted;
}

/// A direction of L-BFGS from the present model, and its whole step as the next trial. False where
/// none descends.
bool GradientStepper::find_direction() {
    const double lambda = cooling_.lambda();
    const double mean = curvature_ / static_cast<double>(now_.x.size());
    Vector gradient = rough(regularised(now_.x));
    for (std::size_t u = 0; u < gradient.size(); ++u) {
        gradient[u] = lambda * gradient[u] + now_.gradient[u];
    }
    way_ = lbfgs_.direction(
        gradient,
        [&](const Vector& s) {
            Vector out = rough(s);
            for (double& value : out) value *= lambda;
            return out;
        },
        [&](const Vector& r) {
            Vector z(r.size());
            spectral_.solve(r, z, lambda, mean, threads_);
            return z;
        });
    slope_ = inner(way_, gradient);
    if (!(slope_ < 0)) return false;
    length_ = 1;
    tries_ = 0;
    try_length();
    return true;
}

void GradientStepper::try_length() {
    Vector x = now_.x;
    for (std::size_t u = 0; u < x.size(); ++u) x[u] += length_ * way_[u];
    aim_at(Aim::line, std::move(x));
}

/// Takes the trial where the objective falls as its slope promised, else a shorter step.
Verdict GradientStepper::try_step() {
    constexpr int most_tries = 6;
    constexpr int steps_per_weight = 6;
    constexpr double part = 1e-4;    // of the slope's promise (Armijo 1966)
    constexpr double little = 0.02;  // of the objective: time for another weight
    Candidate next = candidate();
    const double before = objective(now_, next);
    const double after = objective(next, now_);
    if (!(after <= before + part * length_ * slope_)) {
        if (++tries_ == most_tries) return end_weight();
        // The least point of the parabola through both values and the slope.
        const double least = -slope_ * length_ / (2 * (after - before - slope_ * length_));
        length_ *= std::clamp(least, 0.1, 0.5);
        try_length();
        return Verdict::refused;
    }
    Lbfgs::Pair pair{next.x, next.gradient};
    for (std::size_t u = 0; u < way_.size(); ++u) {
        pair.step[u] -= now_.x[u];
        pair.change[u] -= now_.gradient[u];
    }
    lbfgs_.remember(std::move(pair));
    now_ = std::move(next);
    moved_ = true;
    const double gain = std::max(1 - after / before, 1e-300);
    if (gain < little || ++steps_ == steps_per_weight || !find_direction()) return end_weight();
    return Verdict::taken;
}

/// Steps with one weight of the roughness have come to their end.
Verdict GradientStepper::end_weight() {
    if (!moved_) {
        lbfgs_.forget();
        cooling_.refused();
        before_.clear();
        return Verdict::refused;
    }
    Model made = parameters_.model_of(now_.x, threads_);
    change_ = largest_change(model_, made);
    model_ = std::move(made);
    if (!renew_uses()) return settle_weight();
    aim_at(Aim::weight, now_.x);
    return Verdict::taken;
}

Verdict GradientStepper::settle_weight() {
    roughness_.reweight(regularised(now_.x));
    if (!cooling_.admits(chi2_)) {
        aim_at(Aim::back, before_);
        return Verdict::refused;
    }
    before_.clear();
    return Verdict::accepted;
}

/// The last weight was too much: its model is too smooth to explain the picks.
Verdict GradientStepper::go_back() {
    model_ = parameters_.model_of(now_.x, threads_);
    cooling_.refused();
    before_.clear();
    return Verdict::refused;
}

void GradientStepper::describe(IterationReport& report) const {
    report.misfit = misfit(picks_, now_.residual, use_);
    report.max_update = change_;
    report.lambda = report.iteration == 0 ? 0 : cooling_.lambda();
    const Vector m = regularised(now_.x);
    report.roughness = inner(m, rough(m));
}

void GradientStepper::reported(const std::vector<IterationReport>&) {
    cooling_.accepted(chi2_, true);
}

bool GradientStepper::goes_on(const std::vector<IterationReport>& history) {
    while (!aimed_) {
        const auto phase = cooling_.phase();
        if (phase == Cooling::Phase::done || phase == Cooling::Phase::stagnant ||
            history.size() > static_cast<std::size_t>(options_.gauss_newton.iterations)) {
            return false;
        }
        before_ = now_.x;
        steps_ = 0;
        moved_ = false;
        if (!find_direction()) end_weight();
    }
    return true;
}

void GradientStepper::save(InversionState& state) const {
    state.unknowns = now_.x;
    state.method.cooling = cooling_.save();
    GradientState& kept = state.method.gradients;
    kept.curvature = curvature_;
    for (const Lbfgs::Pair& pair : lbfgs_.pairs()) {
        for (const Vector* part : {&pair.step, &pair.change}) {
            kept.pairs.insert(kept.pairs.end(), part->begin(), part->end());
        }
    }
}

InversionResult GradientStepper::finish() {
    Vector x = now_.x;
    x.resize(parameters_.unknowns().size());
    const PickGradient found = pass(Task::coverage, x);
    InversionResult result{parameters_.model_of(x, threads_)};
    if (ranks_.is_root()) result.coverage = coverage(found);
    result.final_residual = std::move(now_.residual);
    result.final_use = std::move(use_);
    result.reason = stop_reason(cooling_, chi2_, options_);
    result.unknowns = std::move(x);
    return result;
}

/// Path length per cell over the longest spacing: what a count of rays would be like. The
/// derivative of a time by a node's slowness is the length that the node stands for.
Field<float> GradientStepper::coverage(const PickGradient& found) const {
    const Grid& grid = model_.grid();
    const Shape cells = grid.cell_shape();
    Field<float> out(cells, 0.0F);
    const int corners_y = grid.is_2d() ? 1 : 2;
    double longest = 0;
    const Vec3 sides = model_.place().cell_at_middle();
    for (int axis = 0; axis < 3; ++axis) {
        if (grid.shape[axis] > 1) longest = std::max(longest, sides[axis]);
    }
    if (model_.cells()) {
        for (std::size_t n = 0; n < out.size(); ++n) {
            out[n] = static_cast<float>(std::max(found.samples[n], 0.0) / longest);
        }
        return out;
    }
    const double share = 1 / (4.0 * corners_y * longest);
    for (int i = 0; i < grid.shape.x; ++i) {
        for (int j = 0; j < grid.shape.y; ++j) {
            for (int k = 0; k < grid.shape.z; ++k) {
                const double part = share * found.samples[grid.shape.offset(i, j, k)];
                for (int corner = 0; corner < 8; ++corner) {
                    const Index3 cell{i - (corner & 1), j - (corner >> 1 & 1) * (corners_y - 1),
                                      k - (corner >> 2 & 1)};
                    if (corners_y == 1 && (corner >> 1 & 1)) continue;
                    if (cell.x < 0 || cell.y < 0 || cell.z < 0 || cell.x >= cells.x ||
                        cell.y >= cells.y || cell.z >= cells.z) {
                        continue;
                    }
                    out(cell) += static_cast<float>(std::max(part, 0.0));
                }
            }
        }
    }
    return out;
}

}  // namespace fermat
