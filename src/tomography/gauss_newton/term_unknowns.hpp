#pragma once

#include <span>
#include <vector>

#include "survey/survey.hpp"
#include "tomography/gauss_newton/options.hpp"
#include "tomography/gauss_newton/terms.hpp"
#include "tomography/gauss_newton/unknown_rows.hpp"

namespace fermat {

/// Terms as unknowns behind those of the grid: one per shot, then one per receiver, or one of all
/// picks, in units of the picks' median error. Each is damped towards 0 as one more pick of that
/// error would, so that a term of many picks is found nearly whole, and what the ground explains as
/// well is left to it.
class TermUnknowns {
  public:
    TermUnknowns(const Survey& picks, Terms terms, std::span<const double> errors,
                 std::size_t grid_unknowns);

    std::size_t size() const { return shots_ + receivers_ + common_; }
    /// Weights of their squares, one per term.
    std::vector<double> damping() const;
    /// Adds the terms' entries to rows of the grid's unknowns.
    void extend(RowLot& lot) const;
    /// Time that the terms add to a pick.
    double time_of(std::span<const double> x, std::size_t pick) const;
    /// What the terms add to the objective.
    double penalty(std::span<const double> x) const;
    PickTerms found(std::span<const double> x) const;

  private:
    const Survey& picks_;
    std::size_t first_;  ///< unknowns of the grid
    std::size_t shots_ = 0;
    std::size_t receivers_ = 0;
    std::size_t common_ = 0;  ///< 1 where all picks share a term
    double unit_ = 1;
};

/// How much of the variance of residuals their means per shot, and then per receiver, would
/// explain, beyond what means of noise do; each from 0 to 1. Not-a-number residuals do not count.
struct TermShares {
    double shot = 0;
    double receiver = 0;
};
TermShares term_shares(const Survey& picks, std::span<const double> residual);

}  // namespace fermat
