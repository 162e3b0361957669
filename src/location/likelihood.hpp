#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "location/edt.hpp"
#include "location/station_fields.hpp"

namespace fermat {

/// A pick as the likelihood sees it.
struct UsedPick {
    int field = 0;        ///< of StationFields
    double stretch = 1;   ///< of the field's times
    double time = 0;      ///< observed
    double variance = 0;  ///< of pick and model together
    double slowness = 0;  ///< typical of its phase
    std::int32_t arrival = 0;
};

/// A Gaussian belief in a place.
struct Prior {
    Vec3 place;
    Vec3 precision;  ///< 1 / variance along each axis; 0: no belief
};

/// Probability of an event's place, given its picks. A pick is wrong with the probability e; then
/// its residual is anything within a window W. Else its residual is Gaussian:
///
///     p(r) = (1 - e) exp(-r^2 / 2 s^2) / (s sqrt(2 pi)) + e / W
///
/// so that gross errors lose their weight and Gaussian ones keep all of it. The origin time is that
/// of the largest probability at each place. s^2 is the variance of pick and model. Where the place
/// stands for a whole cell (`width`), the time across the cell adds to the variance in the
/// exponent: the density is then about the mean in the cell. With LikelihoodKind::edt the density
/// is that of edt_log_density(), and picks are in the order of their times.
class Likelihood {
  public:
    /// Inverse of a covariance with the origin time left free: log p = -r^T P r / 2 of what picks
    /// say of the origin time, r.
    struct Projection {
        double width = -1;              ///< of the cells that it is for
        std::vector<double> precision;  ///< rows of P
        std::vector<double> share;      ///< of each pick in the origin time
        double weight = 0;              ///< 1 / variance of the origin time at a given place
    };
    /// Memory of one thread and one likelihood.
    struct Work {
        std::vector<double> travel;    ///< computed times from the event to the stations
        std::vector<double> residual;  ///< observed - travel - origin time
        std::vector<double> variance;
        std::vector<std::pair<double, double>> ordered;
        std::vector<double> sample;           ///< of origin times
        std::vector<EdtTerm> terms;           ///< with LikelihoodKind::edt
        std::vector<Projection> projections;  ///< with a covariance; one per width
    };
    struct Density {
        double log = 0;
        double origin_time = 0;
    };

    Likelihood(const StationFields& fields, std::vector<UsedPick> picks, const Prior& prior,
               const LocateOptions& options);

    /// The likelihood of Gaussian errors with a covariance (rows of one number per two picks). What
    /// is gross has a large variance there: weights no longer depend on the place.
    Likelihood with_covariance(std::vector<double> covariance) const;
    /// The likelihood to a power, for picks that say less than as many independent ones.
    Likelihood tempered(double power) const;

    LikelihoodKind kind() const { return kind_; }
    bool has_covariance() const { return !covariance_.empty(); }
    /// For places that stand for cells of a width; the likelihood must have a covariance.
    const Projection& projection(double width, Work& work) const;

    const std::vector<UsedPick>& picks() const { return picks_; }
    const StationFields& fields() const { return *fields_; }
    const Prior& prior() const { return prior_; }
    /// A typical standard deviation of a pick, as a length.
    double reach() const { return reach_; }

    /// Log density at a place, up to a constant. `width` is half the size of what the place stands
    /// for; 0: the place itself.
    Density at(Vec3 place, double width, Work& work) const;
    /// Log density at a place from times of travel that are in `work` already.
    Density of_travel(Vec3 place, double width, Work& work) const;
    /// Probability that a residual is not gross.
    double trust(double residual, double variance) const;

  private:
    double log_of_residuals(double width, Work& work) const;
    Density of_covariance(double width, Work& work) const;
    double log_of_pairs(double width, Work& work) const;
    /// For a wide cell, whose size outweighs the errors: the median of some of the picks.
    double rough_origin_time(Work& work) const;
    double best_origin_time(double width, Work& work) const;

    const StationFields* fields_;
    std::vector<UsedPick> picks_;
    std::vector<int> field_numbers_;
    Prior prior_;
    LikelihoodKind kind_ = LikelihoodKind::gaussian;
    std::vector<double> covariance_;  ///< rows; empty: errors are independent
    double power_ = 1;
    double good_ = 1;        ///< (1 - e) / sqrt(2 pi)
    double background_ = 0;  ///< e / W
    double share2_ = 0;
    double reach_ = 0;
};

}  // namespace fermat
