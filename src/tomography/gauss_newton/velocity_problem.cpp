#include "tomography/gauss_newton/velocity_problem.hpp"

#include <algorithm>
#include <utility>

#include "core/parallel.hpp"
#include "tomography/gauss_newton/gauss_newton.hpp"
#include "tomography/gauss_newton/model_change.hpp"
#include "tomography/outlier_groups.hpp"

namespace fermat {

VelocityProblem::VelocityProblem(const Model& start, const Survey& picks,
                                 const InversionOptions& options, const Execution& execution,
                                 Use use)
    : VelocityProblem(start, picks, options, execution, use, problem_plan(start, picks, options)) {}

VelocityProblem::VelocityProblem(const Model& start, const Survey& picks,
                                 const InversionOptions& options, const Execution& execution,
                                 Use use, ProblemPlan plan)
    : picks_(picks),
      survey_(plan.turned ? exchanged(picks) : picks),
      execution_(execution.on(forward_device(start, options, execution))),
      ranks_(execution.ranks),
      threads_(resolve_threads(execution.threads)),
      rays_(plan.rays),
      parameters_(start, plan.ratio, plan.bounds),
      roughness_(known_roughness(parameters_.unknowns(), options.gauss_newton, start)),
      // The step on a device knows cells of one size.
      place_(execution_.device == Device::cpu || !start.is_plain() ||
                     roughness_.kind() == Regularisation::mixed || options.gauss_newton.known
                 ? RowPlace::host
                 : RowPlace::cuda),
      offset_(offset_of(options)),
      errors_(std::move(plan.errors)),
      terms_(picks, options.gauss_newton.terms, errors_, parameters_.unknowns().size()),
      known_(known_rows(options.gauss_newton, parameters_, start)),
      solver_(parameters_.unknowns(), roughness_, threads_, terms_.damping()),
      extras_{.crossings = use == Use::inversion},
      model_(start.copy()) {}

template <class Work>
auto VelocityProblem::with_known(std::span<const double> x, std::span<const double> right,
                                 Work work) const {
    if (known_.target.empty()) return work(*rows_, right);
    std::vector<double> all(right.begin(), right.end());
    const std::vector<double> left = known_.left(x);
    all.insert(all.end(), left.begin(), left.end());
    return work(RowsWithKnown(*rows_, known_), std::span<const double>(all));
}

double VelocityProblem::penalty(const Trial& trial, const Trial&) const {
    double sum = terms_.penalty(trial.x);
    for (const double left : known_.left(trial.x)) sum += left * left;
    return sum;
}

/// What x is added to before R is applied: nothing for the change from the start model, which is x;
/// the start model less the reference; or, blocky and mixed, the start model itself.
std::vector<double> VelocityProblem::offset_of(const InversionOptions& options) const {
    if (is_of_whole_model(roughness_.kind())) return parameters_.start_on_unknowns();
    const auto& reference = options.gauss_newton.reference;
    if (!reference) return {};
    std::vector<double> offset = parameters_.start_on_unknowns();
    const std::vector<double> other = parameters_.on_unknowns(*reference);
    for (std::size_t u = 0; u < offset.size(); ++u) offset[u] -= other[u];
    return offset;
}

/// What R is applied to: the change from the reference, or the whole model.
std::vector<double> VelocityProblem::regularised(std::span<const double> x) const {
    std::vector<double> m(x.begin(), x.end());
    for (std::size_t u = 0; u < offset_.size(); ++u) m[u] += offset_[u];
    return m;
}

PassCost VelocityProblem::predict(std::span<const double> x) {
    tried_.reset();
    Model model = parameters_.model_of(x, threads_);
    const std::vector<float> slopes = parameters_.slopes_at(x, threads_);
    Prediction prediction =
        fermat::predict(model, survey_, parameters_.unknowns(), slopes, rays_, execution_, extras_);
    const PassCost cost{prediction.seconds, prediction.ray_fraction};
    tried_.emplace(Tried{std::move(model), std::move(prediction)});
    return cost;
}

Trial VelocityProblem::trial_of(std::vector<double>&& x) const {
    const std::vector<double>& time = tried_->prediction.time;
    Trial trial{std::move(x), std::vector<double>(time.size())};
    for (std::size_t n = 0; n < time.size(); ++n) {
        // Turned round, times count from the origin of the event.
        trial.residual[n] = survey_.arrivals[n].time - time[n] - terms_.time_of(trial.x, n);
    }
    return trial;
}

double VelocityProblem::adopt(const Trial&, bool) {
    const double change =
        std::exchange(is_start_, false) ? 0 : largest_change(model_, tried_->model);
    model_ = std::move(tried_->model);
    first_order_sources_ = tried_->prediction.first_order_events;
    coarse_sources_ = tried_->prediction.coarse_events;
    return change;
}

void VelocityProblem::renew(std::vector<double>&& weights) {
    ranks_.broadcast(std::as_writable_bytes(std::span(weights)));
    std::vector<RowLot> rows = std::move(tried_->prediction.rows);
    for (RowLot& lot : rows) terms_.extend(lot);
    crossings_ = std::move(tried_->prediction.crossings);
    rows_.reset();
    rows_.emplace(std::move(rows), weights, size(), ranks_, place_);
}

std::vector<std::int32_t> VelocityProblem::agreeing(std::span<const double> residual,
                                                    std::span<const PickUse> use) const {
    return outlier_groups(model_, picks_, residual, use).clustered;
}

std::vector<double> VelocityProblem::step(std::span<const double> x, std::span<const double> right,
                                          double lambda, double damping) {
    SolveLimits limits{step_accuracy};
    limits.monitor = &execution_.monitor;
    std::vector<double> trial =
        with_known(x, right, [&](const PickMatrix& rows, std::span<const double> all) {
            return solver_.solve(rows, all, regularised(x), {lambda, damping * lambda}, limits);
        });
    for (std::size_t u = 0; u < trial.size(); ++u) trial[u] += x[u];
    return trial;
}

HeldOutScore VelocityProblem::held_out(FoldTest& folds, std::span<const double> x,
                                       std::span<const double> right, std::span<const PickUse> use,
                                       double lambda, bool glance) {
    const std::vector<double> m = regularised(x);
    return with_known(x, right, [&](const PickMatrix& rows, std::span<const double> all) {
        return folds.score({rows, use, all, m, lambda, glance}, solver_, roughness_, threads_);
    });
}

void VelocityProblem::finish(std::span<const double> x, InversionResult& result) {
    model_ = parameters_.model_of(x, threads_);
    result.coverage = coverage_of(crossings_, model_.grid(), ranks_);
    result.model = std::move(model_);
    result.unknowns.assign(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(grid_size()));
    result.terms = terms_.found(x);
    result.first_order_sources = first_order_sources_;
    result.coarse_sources = coarse_sources_;
}

}  // namespace fermat
