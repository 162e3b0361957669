#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/random_stream.hpp"
#include "location/difference_weights.hpp"
#include "survey/survey.hpp"

namespace fermat {

/// Differences of times beside the picks of a joint inversion (Zhang & Thurber 2003).
///
/// A difference is the travel time of one arrival minus that of another at the same station and of
/// the same phase, so its row is the difference of two rows G of arrivals. Arrivals that
/// differences name and nobody picked are added behind the picks: they have a row and no time of
/// their own. With weights W of picks and V of differences and P the matrix of signs, the normal
/// equations are
///
///     G^T (W + P^T V P) G d = G^T (W r + P^T V p),
///
/// r and p being the residuals. Rows are scaled by q, the square roots of the diagonal of
/// W + P^T V P, so that the matrix in the middle, S, has a diagonal of ones.
class DifferenceRows {
  public:
    /// `weight`: factor of the weights of all differences.
    DifferenceRows(const Survey& picks, std::span<const TimeDifference> differences,
                   const DifferenceWeighting& weighting, double weight);

    bool any() const { return !links_.empty(); }
    std::size_t size() const { return links_.size(); }
    /// The picks and behind them the arrivals that only differences name.
    const Survey& arrivals() const { return arrivals_; }
    std::size_t picks() const { return picks_; }

    /// How many there are and what they add, in a sentence.
    std::string description() const;

    /// `travel`: per arrival, its travel time and the shift of its event's origin time. Gives one
    /// residual per difference, not a number where a ray was lost.
    std::vector<double> residuals(std::span<const double> travel) const;
    /// Takes the residuals of a model with its events' places, and weighs them.
    void weigh(std::span<const double> residuals, std::span<const Vec3> places);
    /// Sum of weight times residual squared, where both `residuals` and `others` are numbers.
    double objective(std::span<const double> residuals, std::span<const double> others) const;

    /// q per arrival, of the weights of picks as factors of rows; 0 where nothing counts.
    std::vector<double> row_weights(std::span<const double> pick_weights);
    /// Q^-1 (W r + P^T V p), one number per arrival; `pick_residual`: the picks' r times their
    /// weights as factors of rows.
    std::vector<double> right_side(std::span<const double> pick_residual) const;
    /// Q^-1 (W^(1/2) e1 + P^T V^(1/2) e2) of standard normal e1 and e2: noise of the covariance S.
    std::vector<double> noise(RandomStream& random) const;
    /// y <- S y, with the same bits for any number of threads.
    void apply(std::span<double> y, int threads) const;

    /// What the weights left to the picks: sum of W over the sum of q^2.
    double share_of_picks() const { return share_of_picks_; }
    DifferenceFits fits(const KindNumbers& rms_before) const;
    KindNumbers rms() const { return rms_of_kinds(states_, weights_); }

  private:
    struct Link {
        std::int32_t first = 0;  ///< arrivals
        std::int32_t second = 0;
        double time = 0;
        double weight = 0;
        DifferenceKind kind = DifferenceKind::catalogue;
    };
    /// A difference as an arrival sees it.
    struct End {
        std::int32_t link = 0;
        double sign = 1;
    };

    double residual_of(std::size_t link) const { return states_[link].residual; }

    DifferenceWeighting weighting_;
    double weight_;
    std::size_t picks_;
    Survey arrivals_;
    std::vector<Link> links_;
    std::vector<std::int64_t> first_end_;  ///< per arrival and one more, into ends_
    std::vector<End> ends_;

    // Of the present model.
    std::vector<DifferenceState> states_;
    std::vector<double> weights_;  ///< V without the factor
    KindNumbers deviation_{not_known, not_known};
    std::vector<double> pick_weights_;  ///< per pick: the square root of W
    std::vector<double> q_;
    double share_of_picks_ = 1;
};

}  // namespace fermat
