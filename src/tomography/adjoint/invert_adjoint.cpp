#include "tomography/adjoint/invert_adjoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "core/random_stream.hpp"
#include "core/stopwatch.hpp"
#include "tomography/adjoint/lbfgs.hpp"
#include "tomography/adjoint/pick_gradient.hpp"
#include "tomography/gauss_newton/cooling.hpp"
#include "tomography/gauss_newton/gauss_newton.hpp"
#include "tomography/gauss_newton/parameters.hpp"
#include "tomography/gauss_newton/pick_weights.hpp"
#include "tomography/gauss_newton/spectral.hpp"
#include "tomography/stop_reason.hpp"

namespace fermat {
namespace {

using Vector = std::vector<double>;

/// A model with its times and the gradient of its misfit.
struct Candidate {
    Vector x;
    Vector residual;  ///< observed - computed, per pick; not a number where lost
    Vector gradient;  ///< of half the sum of squared, scaled residuals, by the unknowns
};

class Run {
  public:
    Run(const Model& start, const Survey& picks, const InversionOptions& options,
        const Execution& execution, const InversionListener& listener)
        : picks_(picks),
          plan_(problem_plan(start, picks, options)),
          survey_(plan_.turned ? exchanged(picks) : picks),
          options_(options),
          outliers_(options.outliers.value_or(default_outliers)),
          listener_(listener),
          execution_(execution),
          ranks_(execution.ranks),
          threads_(resolve_threads(execution.threads)),
          parameters_(start, plan_.ratio, plan_.bounds),
          roughness_(parameters_.unknowns(), options.gauss_newton.roughness),
          spectral_(parameters_.unknowns(), roughness_),
          cooling_(options.target_chi2 > 0 ? options.target_chi2 : 1,
                   options.gauss_newton.lambda > 0),
          model_(start.copy()),
          weights_(plan_.errors.size()) {
        for (std::size_t n = 0; n < weights_.size(); ++n) weights_[n] = 1 / plan_.errors[n];
    }

    InversionResult run(std::optional<InversionState> resume) {
        if (!ranks_.is_root()) {
            serve();
        } else {
            lead(std::move(resume));
        }
        // What went wrong on rank 0 beside the passes is thrown on all ranks.
        together(ranks_, [&] {
            if (failure_) std::rethrow_exception(failure_);
        });
        Vector x = now_.x;
        x.resize(parameters_.unknowns().size());
        ranks_.broadcast(std::as_writable_bytes(std::span(x)));
        model_ = parameters_.model_of(x, threads_);
        return {std::move(model_),
                std::move(coverage_),
                std::move(history_),
                std::move(initial_residual_),
                std::move(now_.residual),
                std::move(use_),
                stop_reason(cooling_, chi2_, options_),
                std::move(x),
                {}};
    }

  private:
    enum class Task : int { done, misfit, probe, coverage };
    static constexpr int steps_per_weight = 6;
    static constexpr int most_tries = 6;

    /// Other ranks take part in the passes that rank 0 asks for.
    void serve() {
        for (;;) {
            const Task task = broadcast_value(ranks_, Task::done);
            if (task == Task::done) return;
            Vector x(parameters_.unknowns().size());
            pass(task, x);
        }
    }

    void lead(std::optional<InversionState> resume) {
        try {
            resume ? take_up(std::move(*resume)) : begin();
            while (!finished()) improve();
            coverage_ = coverage();
        } catch (...) {
            if (in_pass_) throw;  // thrown on all ranks
            failure_ = std::current_exception();
        }
        broadcast_value(ranks_, Task::done);
    }

    /// One pass over all events at a model, on all ranks: its gradient by the unknowns, and times.
    PickGradient pass(Task task, Vector& x) {
        in_pass_ = true;
        ranks_.broadcast(std::as_writable_bytes(std::span(x)));
        ranks_.broadcast(std::as_writable_bytes(std::span(weights_)));
        const Model model = parameters_.model_of(x, threads_);
        const PullOfPick pull = [&](std::size_t pick, double time) {
            if (task == Task::coverage) return weights_[pick] > 0 ? 1.0 : 0.0;
            if (task == Task::probe) return weights_[pick] * RandomStream(1, pick).sign();
            return weights_[pick] * weights_[pick] * (time - survey_.arrivals[pick].time);
        };
        PickGradient found = pick_gradient(model, survey_, pull, options_.eikonal, execution_);
        in_pass_ = false;
        return found;
    }

    PickGradient ask(Task task, Vector& x) {
        broadcast_value(ranks_, task);
        const Stopwatch watch;
        PickGradient found = pass(task, x);
        seconds_.times += watch.seconds();
        ++passes_;
        return found;
    }

    Vector by_unknowns(const Vector& x, const Vector& samples) const {
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

    Candidate evaluate(Vector x) {
        const PickGradient found = ask(Task::misfit, x);
        Candidate out{std::move(x), Vector(found.time.size()), {}};
        for (std::size_t n = 0; n < out.residual.size(); ++n) {
            out.residual[n] = survey_.arrivals[n].time - found.time[n];
        }
        out.gradient = by_unknowns(out.x, found.samples);
        return out;
    }

    Vector scaled(const Vector& residual) const {
        Vector z(residual.size());
        for (std::size_t n = 0; n < z.size(); ++n) z[n] = residual[n] / plan_.errors[n];
        return z;
    }

    /// The picks that the next steps listen to. True if they changed.
    bool renew_uses() {
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
            throw InputError(
                fmt::format("no pick of {} can be used (no wave arrives, or all are "
                            "outliers)",
                            use_.size()));
        }
        return changed;
    }

    void begin() {
        now_ = evaluate(Vector(parameters_.unknowns().size(), 0.0));
        if (renew_uses()) now_ = evaluate(std::move(now_.x));
        find_curvature();
        roughness_.reweight(regularised(now_.x));
        const double asked = options_.gauss_newton.lambda;
        const double first = roughness_.kind() == Regularisation::second ? 20000 : 1000;
        cooling_.start(asked > 0 ? asked : first * curvature_ / roughness_.trace());
        report(0);
    }

    /// The trace of A^T A, by its action on random signs (Hutchinson 1990).
    void find_curvature() {
        const Vector pulled = by_unknowns(now_.x, ask(Task::probe, now_.x).samples);
        curvature_ = inner(pulled, pulled);
    }

    Vector regularised(const Vector& x) const {
        return parameters_.regularised(x, roughness_.kind());
    }
    Vector rough(const Vector& x) const {
        Vector out(x.size());
        roughness_.apply(x, out, threads_);
        return out;
    }

    /// By the present picks; one that either model lost does not count.
    double objective(const Candidate& model, const Candidate& other) const {
        double sum = 0;
        for (std::size_t n = 0; n < weights_.size(); ++n) {
            if (std::isnan(model.residual[n]) || std::isnan(other.residual[n])) continue;
            const double z = weights_[n] * model.residual[n];
            sum += z * z;
        }
        const Vector m = regularised(model.x);
        return 0.5 * (sum + cooling_.lambda() * inner(m, rough(m)));
    }

    /// Steps with one weight of the roughness, until they gain little, and then the next weight.
    void improve() {
        constexpr double little = 0.02;
        const Vector before = now_.x;
        bool moved = false;
        for (int n = 0; n < steps_per_weight; ++n) {
            const double gain = step();
            moved |= gain > 0;
            if (gain < little) break;
        }
        if (!moved) {
            lbfgs_.forget();
            cooling_.refused();
            return;
        }
        const Model old = std::move(model_);
        model_ = parameters_.model_of(now_.x, threads_);
        if (renew_uses()) now_ = evaluate(std::move(now_.x));
        roughness_.reweight(regularised(now_.x));
        double change = 0;
        for (std::size_t n = 0; n < old.given().size(); ++n) {
            if (old.given()[n] == 0) continue;
            change = std::max(
                change, std::abs(static_cast<double>(model_.given()[n]) / old.given()[n] - 1));
        }
        if (!cooling_.admits(chi2_)) {
            // Too smooth to explain the picks: back to the model before.
            now_ = evaluate(before);
            if (renew_uses()) now_ = evaluate(std::move(now_.x));
            model_ = parameters_.model_of(now_.x, threads_);
            cooling_.refused();
            return;
        }
        report(change);
    }

    /// One step along L-BFGS's direction: by how much of itself the objective fell; 0 where no
    /// step makes it fall.
    double step() {
        const double lambda = cooling_.lambda();
        const double mean = curvature_ / static_cast<double>(now_.x.size());
        Vector gradient = rough(regularised(now_.x));
        for (std::size_t u = 0; u < gradient.size(); ++u) {
            gradient[u] = lambda * gradient[u] + now_.gradient[u];
        }
        const Vector way = lbfgs_.direction(
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
        const double slope = inner(way, gradient);
        if (!(slope < 0)) return 0;
        double length = 1;
        for (int n = 0; n < most_tries; ++n) {
            Vector x = now_.x;
            for (std::size_t u = 0; u < x.size(); ++u) x[u] += length * way[u];
            Candidate next = evaluate(std::move(x));
            const double before = objective(now_, next);
            const double after = objective(next, now_);
            constexpr double part = 1e-4;  // of the slope's promise (Armijo 1966)
            if (after <= before + part * length * slope) {
                Lbfgs::Pair pair{next.x, next.gradient};
                for (std::size_t u = 0; u < way.size(); ++u) {
                    pair.step[u] -= now_.x[u];
                    pair.change[u] -= now_.gradient[u];
                }
                lbfgs_.remember(std::move(pair));
                now_ = std::move(next);
                return std::max(1 - after / before, 1e-300);
            }
            // The least point of the parabola through both values and the slope.
            const double least = -slope * length / (2 * (after - before - slope * length));
            length *= std::clamp(least, 0.1, 0.5);
        }
        return 0;
    }

    void report(double change) {
        IterationReport now;
        now.iteration = static_cast<int>(history_.size());
        now.misfit = misfit(picks_, now_.residual, use_);
        now.max_update = change;
        now.lambda = history_.empty() ? 0 : cooling_.lambda();
        const Vector m = regularised(now_.x);
        now.roughness = inner(m, rough(m));
        now.passes = passes_;
        now.seconds = std::exchange(seconds_, {});
        if (history_.empty()) initial_residual_ = now_.residual;
        history_.push_back(now);
        if (listener_.iteration) listener_.iteration(now, model_);
        if (listener_.has_to_keep(now.iteration)) listener_.keep({now.iteration, model_});
        cooling_.accepted(chi2_);
        if (listener_.update) save();
    }

    bool finished() const {
        const auto phase = cooling_.phase();
        return phase == Cooling::Phase::done || phase == Cooling::Phase::stagnant ||
               static_cast<int>(history_.size()) > options_.gauss_newton.iterations;
    }

    /// Path length per cell over the longest spacing: what a count of rays would be like. The
    /// derivative of a time by a node's slowness is the length that the node stands for.
    Field<float> coverage() {
        const PickGradient found = ask(Task::coverage, now_.x);
        const Grid& grid = model_.grid();
        const Shape cells = grid.cell_shape();
        Field<float> out(cells, 0.0F);
        const int corners_y = grid.is_2d() ? 1 : 2;
        double longest = 0;
        for (int axis = 0; axis < 3; ++axis) {
            if (grid.shape[axis] > 1) longest = std::max(longest, grid.spacing_along(axis));
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

    void save() {
        InversionState state;
        state.velocity = Field<float>(model_.given().shape());
        const auto velocity = model_.given();
        std::copy(velocity.begin(), velocity.end(), state.velocity.begin());
        state.history = history_;
        state.unknowns = now_.x;
        state.method_state = cooling_.save();
        state.method_state.push_back(curvature_);
        for (const Lbfgs::Pair& pair : lbfgs_.pairs()) {
            for (const Vector* part : {&pair.step, &pair.change}) {
                state.method_state.insert(state.method_state.end(), part->begin(), part->end());
            }
        }
        state.initial_residual = initial_residual_;
        listener_.update(state);
    }

    /// The present model is solved again; all else is as it was.
    void take_up(InversionState&& state) {
        const std::size_t of_cooling = cooling_.save().size();
        const auto& kept = state.method_state;
        cooling_.restore({kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(of_cooling)});
        curvature_ = kept[of_cooling];
        const std::size_t size = state.unknowns.size();
        for (std::size_t at = of_cooling + 1; at + 2 * size <= kept.size(); at += 2 * size) {
            const auto from = kept.begin() + static_cast<std::ptrdiff_t>(at);
            const auto middle = from + static_cast<std::ptrdiff_t>(size);
            lbfgs_.remember({{from, middle}, {middle, middle + static_cast<std::ptrdiff_t>(size)}});
        }
        history_ = std::move(state.history);
        initial_residual_ = std::move(state.initial_residual);
        now_ = evaluate(std::move(state.unknowns));
        if (renew_uses()) now_ = evaluate(std::move(now_.x));
        passes_ = history_.back().passes;
        model_ = parameters_.model_of(now_.x, threads_);
        roughness_.reweight(regularised(now_.x));
    }

    const Survey& picks_;
    ProblemPlan plan_;
    const Survey survey_;  ///< turned round where stations are fewer than events
    const InversionOptions& options_;
    double outliers_;
    const InversionListener& listener_;
    Execution execution_;
    Ranks& ranks_;
    int threads_;
    Parameters parameters_;
    Roughness roughness_;
    SpectralSolver spectral_;
    Cooling cooling_;
    Model model_;
    Vector weights_;  ///< 1 / error of each pick; 0 of outliers
    Candidate now_;
    std::vector<PickUse> use_;
    double chi2_ = 0;
    double curvature_ = 0;  ///< the trace of A^T A
    Lbfgs lbfgs_;
    std::vector<IterationReport> history_;
    IterationSeconds seconds_;
    int passes_ = 0;
    Vector initial_residual_;
    Field<float> coverage_;
    bool in_pass_ = false;
    std::exception_ptr failure_;
};

}  // namespace

void require_adjoint(const Model& start, const InversionOptions& options) {
    require_nodes(start, "inversion method 'adjoint'");
    if (options.gauss_newton.terms != Terms::none) {
        throw InputError(
            fmt::format("terms is '{}' and the method is 'adjoint' (terms are for 'gauss-newton')",
                        name_of(options.gauss_newton.terms)));
    }
    if (options.gauss_newton.reference) {
        throw InputError(
            "a reference model is given and the method is 'adjoint' (it is for 'gauss-newton')");
    }
    if (!options.schedule.empty()) {
        throw InputError(
            "a schedule is given and the method is 'adjoint' (a schedule is for 'hole')");
    }
    if (!follows_a_field(options.tracer)) {
        throw InputError(fmt::format(
            "tracer is '{}' and the method is 'adjoint' (which has no rays: leave it out)",
            name_of(options.tracer)));
    }
    if (options.eikonal.solver == Solver::vidale) {
        throw InputError("solver 'vidale' has no adjoint (use fim, fmm or fsm)");
    }
}

InversionResult invert_adjoint(const Model& start, const Survey& picks,
                               const InversionOptions& options, const Execution& execution,
                               const InversionListener& listener,
                               std::optional<InversionState> resume) {
    return Run(start, picks, options, execution, listener).run(std::move(resume));
}

}  // namespace fermat
