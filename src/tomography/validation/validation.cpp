#include "tomography/validation/validation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "core/bytes.hpp"
#include "core/deal.hpp"
#include "core/error.hpp"
#include "core/parallel.hpp"
#include "times/times.hpp"
#include "tomography/pick_ledger.hpp"

namespace fermat {
namespace {

/// Observed less computed times, over errors where these count; not a number without a time.
std::vector<double> scaled_residuals(const Model& model, const Survey& picks,
                                     const InversionOptions& options, const Execution& execution) {
    const bool by_error = picks.has_errors && options.weights == PickWeights::errors;
    std::vector<double> residuals(picks.arrivals.size(), std::numeric_limits<double>::quiet_NaN());
    // Models on the way may jump between cells, and mapped ones on rows, which is for the CPU.
    const Execution own = !model.is_plain()                  ? execution.on(Device::cpu)
                          : execution.device == Device::cuda ? execution.on(Device::automatic)
                                                             : execution;
    const auto times = arrival_times(model, picks, options.eikonal, own);
    for (std::size_t p = 0; p < times.size(); ++p) {
        const Arrival& pick = picks.arrivals[p];
        const double residual = pick.time - times[p];
        if (std::isfinite(residual)) residuals[p] = by_error ? residual / pick.error : residual;
    }
    return residuals;
}

double deviation_of(const std::vector<double>& residuals) {
    double sum = 0;
    double count = 0;
    for (const double residual : residuals) {
        if (std::isnan(residual)) continue;
        sum += std::abs(residual);
        count += 1;
    }
    return std::sqrt(std::numbers::pi / 2) * sum / count;
}

}  // namespace

void validate(const ValidationOptions& options, const Survey& picks) {
    constexpr int most_folds = 1000;
    if (options.folds < 2 || options.folds > most_folds) {
        throw InputError(
            fmt::format("folds is {} (must be from 2 to {})", options.folds, most_folds));
    }
    const std::size_t units = units_of(picks, options.unit).size();
    if (units < static_cast<std::size_t>(options.folds)) {
        throw InputError(
            fmt::format("the picks have {} {} (fewer than the {} folds of cross-validation{})",
                        units, name_of(options.unit), options.folds,
                        options.unit == PickUnit::shots ? "; folds of picks may do" : ""));
    }
}

std::vector<Fold> folds_of(const Survey& picks, const ValidationOptions& options) {
    validate(options, picks);
    std::vector<Fold> folds;
    for (const auto& group : groups_of(picks, options.unit, options.folds, options.seed)) {
        folds.push_back({picks_without(picks, group), subset(picks, group)});
    }
    return folds;
}

double held_out_score(const Model& model, const Fold& fold, const InversionOptions& options,
                      const Execution& execution) {
    return deviation_of(scaled_residuals(model, fold.held_out, options, execution));
}

FoldScore score_of(const Model& model, const Fold& fold, const InversionOptions& options,
                   const Execution& execution) {
    return {deviation_of(scaled_residuals(model, fold.fitted, options, execution)),
            held_out_score(model, fold, options, execution)};
}

FoldScore mean_score(std::span<const FoldScore> scores) {
    FoldScore squares;
    for (const FoldScore& score : scores) {
        squares.fitted += score.fitted * score.fitted / static_cast<double>(scores.size());
        squares.held_out += score.held_out * score.held_out / static_cast<double>(scores.size());
    }
    return {std::sqrt(squares.fitted), std::sqrt(squares.held_out)};
}

void deal_runs(std::int64_t count, const InversionOptions& options, const Model& start,
               const std::string& task,
               const std::function<Bytes(std::int64_t, const Execution&)>& work,
               const std::function<void(std::int64_t, const Bytes&)>& consume,
               const Execution& execution) {
    Ranks& ranks = execution.ranks;
    Monitor& monitor = execution.monitor;
    const bool cuda = broadcast_value(ranks, runs_on_cuda(options, execution.device, start));
    const int threads = resolve_threads(execution.threads);
    const std::int64_t share = (count + ranks.size() - 1) / ranks.size();
    const int jobs = cuda ? 1 : static_cast<int>(std::clamp<std::int64_t>(share, 1, threads));
    Monitor stop_only({}, [&] { return monitor.stop_requested(); });
    const Execution own = execution.alone().with_threads(threads / jobs).heard_by(stop_only);
    monitor.begin(task, count);
    deal_in_order(
        ranks, count, jobs, [&](std::int64_t job) { return work(job, own); },
        [&](std::int64_t job, const Bytes& bytes) {
            consume(job, bytes);
            monitor.advance();
        },
        monitor);
    monitor.end();
}

ValidationReport cross_validate_run(const Model& start, const Survey& picks,
                                    const InversionOptions& options,
                                    const ValidationOptions& validation,
                                    const Execution& execution) {
    const std::vector<Fold> folds = folds_of(picks, validation);
    std::vector<FoldReport> reports(folds.size());
    deal_runs(
        static_cast<std::int64_t>(folds.size()), options, start, "cross-validation",
        [&](std::int64_t job, const Execution& own) {
            const Fold& fold = folds[static_cast<std::size_t>(job)];
            const InversionResult result = invert(start, fold.fitted, options, own);
            FoldReport report;
            report.score = score_of(result.model, fold, options, own);
            report.fitted = static_cast<std::int64_t>(fold.fitted.arrivals.size());
            report.held_out = static_cast<std::int64_t>(fold.held_out.arrivals.size());
            report.iterations = result.history.back().iteration;
            ByteWriter out;
            out.add(report);
            return out.take();
        },
        [&](std::int64_t job, const Bytes& bytes) {
            reports[static_cast<std::size_t>(job)] = ByteReader(bytes).take<FoldReport>();
        },
        execution);
    execution.ranks.broadcast(std::as_writable_bytes(std::span(reports)));
    std::vector<FoldScore> scores;
    for (const FoldReport& report : reports) scores.push_back(report.score);
    return {mean_score(scores), std::move(reports)};
}

}  // namespace fermat
