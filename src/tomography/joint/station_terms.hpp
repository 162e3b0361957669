#pragma once

#include <span>
#include <vector>

#include "survey/survey.hpp"
#include "tomography/gauss_newton/terms.hpp"

namespace fermat {

/// Terms of stations, one set per phase, in units of the picks' median error. Each is damped
/// towards 0 as one more pick of that error would, and those of a phase have the mean 0 over the
/// stations that have picks of it: origin times and velocity explain what all stations share.
class StationTerms {
  public:
    /// `slots`: of each pick, the number of its phase among `phases`. `errors`: one per pick;
    /// arrivals behind them were not picked.
    StationTerms(const Survey& picks, std::span<const std::int32_t> slots, std::size_t phases,
                 bool wanted, std::span<const double> errors);

    std::size_t size() const { return heard_.size(); }
    double unit() const { return unit_; }
    /// Number of a pick's term; there must be terms.
    std::size_t of(std::size_t pick) const { return static_cast<std::size_t>(numbers_[pick]); }
    double time_of(std::span<const double> terms, std::size_t pick) const {
        return size() == 0 ? 0 : unit_ * terms[of(pick)];
    }
    /// Takes the mean of each phase away; terms without picks are 0.
    void centre(std::span<double> terms) const;
    PickTerms found(std::span<const double> terms) const;

  private:
    std::size_t stations_;
    double unit_ = 1;
    std::vector<std::int32_t> numbers_;  ///< per pick
    std::vector<bool> heard_;            ///< per term: whether it has picks
};

}  // namespace fermat
