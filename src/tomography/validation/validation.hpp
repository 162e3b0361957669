#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/execution.hpp"
#include "tomography/invert.hpp"
#include "tomography/trust/resample.hpp"

namespace fermat {

/// k-fold cross-validation: shots (or picks) are dealt into folds; each fold is left out once, and
/// what the other picks make of the model is held against it.
struct ValidationOptions {
    int folds = 5;
    PickUnit unit = PickUnit::shots;
    std::uint64_t seed = 1;
};
/// Throws InputError, also where there are fewer units than folds.
void validate(const ValidationOptions& options, const Survey& picks);

/// How well picks are met: sqrt(pi / 2) times the mean absolute residual, which is the standard
/// deviation of Gaussian ones and is moved little by outliers. In errors where picks have them and
/// are weighted by them, else in units of time. Picks without a time in the model do not count.
struct FoldScore {
    double fitted = 0;
    double held_out = 0;
};

/// Picks of one fold, and the others.
struct Fold {
    Survey fitted;
    Survey held_out;
};
std::vector<Fold> folds_of(const Survey& picks, const ValidationOptions& options);

/// How well a model meets the picks left out, or all; `options` say how times are computed.
double held_out_score(const Model& model, const Fold& fold, const InversionOptions& options,
                      const Execution& execution);
FoldScore score_of(const Model& model, const Fold& fold, const InversionOptions& options,
                   const Execution& execution);

/// Means over folds: the root of the mean square of scores.
FoldScore mean_score(std::span<const FoldScore> scores);

/// A run of each fold with these options, as they are.
struct FoldReport {
    FoldScore score;
    std::int64_t fitted = 0;  ///< picks
    std::int64_t held_out = 0;
    int iterations = 0;
};
struct ValidationReport {
    FoldScore score;  ///< of all folds
    std::vector<FoldReport> folds;
};

/// Folds are dealt out to threads and ranks; rank 0's result is that of all. The same bits for any
/// number of either.
ValidationReport cross_validate_run(const Model& start, const Survey& picks,
                                    const InversionOptions& options,
                                    const ValidationOptions& validation,
                                    const Execution& execution);

/// Does work(job, its execution) for each job by the threads of all ranks, and hands the results to
/// `consume` on rank 0 in order; one job at a time on a CUDA device.
void deal_runs(std::int64_t count, const InversionOptions& options, const Model& start,
               const std::string& task,
               const std::function<Bytes(std::int64_t, const Execution&)>& work,
               const std::function<void(std::int64_t, const Bytes&)>& consume,
               const Execution& execution);

}  // namespace fermat
