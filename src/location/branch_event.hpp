#pragma once

#include <span>
#include <vector>

#include "location/branch_times.hpp"
#include "location/catalogue.hpp"

namespace fermat {

/// One event of locate_phases(). The density of a place is that of Likelihood with Gaussian errors
/// and a share of gross ones; a phase that has no ray from a place counts as gross there.
struct BranchEvent {
    const Survey& flat;    ///< with flat positions
    const Survey& survey;  ///< with those of users
    const LocateOptions& options;
    const Region& model_region;
    const BranchTimes& times;
    const ModelErrors& errors;
    double least_variance = 0;  ///< of a time, for its rounding
    std::size_t number = 0;     ///< of the event
    std::vector<BranchPick> picks{};

    /// Adds a pick, unless its station lies outside the medium.
    void add(std::int32_t arrival, const Branch& branch, const LayeredMedium& medium);
    /// Climbs from the starts and from other depths below the best of them. Writes the fits of the
    /// picks.
    Hypocentre locate(std::span<const Vec3> starts, std::vector<PickFit>& fits) const;

  private:
    /// A place, and what the picks say of it.
    struct Trial {
        Vec3 place;
        double onset = 0;  ///< origin time
        double log = -1e300;
        double spread =
            0;  ///< further standard deviation of all times, for places far from the best
        std::vector<BranchTime> at{};
    };
    /// Half curvature and slope of the misfit at a trial, with the origin time eliminated.
    struct Step;

    double variance_of(const BranchPick& pick, double travel, double spread) const;
    double background() const;
    /// A spread with which places some km away are still likely: a share of the record's length.
    double wide() const;
    double trust(double residual, double variance) const;
    Trial judged(const Region& region, Vec3 place, bool slopes, double spread) const;
    Step step_at(const Region& region, const Trial& trial, std::span<const double> weights,
                 bool shared) const;
    std::vector<double> weights_at(const Trial& trial) const;
    Trial climb(const Region& region, Vec3 start, double spread) const;
    /// Climbs with a wide spread first, so that a phase that tells the depth sharply is heard from
    /// afar.
    Trial narrowed(const Region& region, Vec3 start) const;
    void describe(const Trial& trial, Hypocentre& event, std::vector<PickFit>& fits) const;
};

}  // namespace fermat
