#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "core/vec3.hpp"
#include "model/phase.hpp"

namespace fermat {

/// Errors of times that are computed in a wrong model. A part of them is each pick's own. Another
/// part is alike at stations close together, because their rays meet the same rocks: with the
/// distance d between the stations and the times of travel t of their picks, its covariance is
///
///     s_a s_b sqrt(t_a t_b) / t0  (1 + x) exp(-x),   x = d / L
///
/// (a Matern covariance of smoothness 3/2). Its variance grows with the time of travel, as delays
/// do that are gathered along a ray in a random medium (Chernov 1960). A third part is alike on
/// rays that leave the event in nearly the same direction, for what is wrong near the event: with
/// the chord c between the directions' unit vectors
///
///     u_a u_b (1 + y + y^2 / 3) exp(-y),   y = c / C
///
/// Between P and S both are multiplied by `likeness`.
struct ModelErrors {
    std::array<double, phase_count> own{};       ///< standard deviation per phase
    std::array<double, phase_count> shared{};    ///< s, at the time t0
    std::array<double, phase_count> directed{};  ///< u
    double length = 0;                           ///< L; 0: nothing is alike
    double spread = 0.5;                         ///< C
    double likeness = 1;                         ///< correlation of P and S at one station
    double typical_time = 0;                     ///< t0; 0: the shared part does not grow with time

    bool is_shared() const { return length > 0; }
    /// Standard deviation of the part of a pick that stations share.
    double shared_of(Phase phase, double travel) const {
        const double growth = typical_time > 0 ? std::sqrt(travel / typical_time) : 1;
        return shared[static_cast<std::size_t>(phase)] * growth;
    }
    /// Variance of all that a pick has in common with others.
    double common_variance(Phase phase, double travel) const {
        if (!is_shared()) return 0;
        const double along = shared_of(phase, travel);
        const double near = directed[static_cast<std::size_t>(phase)];
        return along * along + near * near;
    }
    /// Standard deviation of all parts at the time t0.
    std::array<double, phase_count> typical() const;
};

/// Correlation of the shared part at stations a distance apart.
inline double error_correlation(double distance, double length) {
    const double ratio = distance / length;
    return (1 + ratio) * std::exp(-ratio);
}

/// Correlation of errors near the event on rays whose directions are a chord apart.
inline double direction_correlation(double chord, double spread) {
    const double ratio = chord / spread;
    return (1 + ratio + ratio * ratio / 3) * std::exp(-ratio);
}

/// A pick as its error sees it.
struct ErrorPick {
    Vec3 station;  ///< in lengths
    Vec3 ray{};    ///< unit vector of the ray where it leaves the event
    Phase phase = Phase::P;
    double travel = 0;
    double variance = 0;  ///< of what no other pick shares: the reading, and what is added to it
};

/// Rows of the covariance of the errors of picks: their own variance (without ModelErrors::own) and
/// what they share.
std::vector<double> error_covariance(const ModelErrors& errors, std::span<const ErrorPick> picks);

/// Residuals of an event whose place was found, with what a change of the place does to them.
struct ErrorSample {
    std::vector<ErrorPick> picks;
    std::vector<double> residuals;
    std::vector<Vec3> gradients;  ///< of the times of travel, by the place
    std::array<bool, 3> free{true, true, true};
};

/// The errors that residuals of events speak for, from a first guess of their size per phase: the
/// likelihood of what no place and no origin time explain (restricted maximum likelihood, Patterson
/// & Thompson 1971) is the largest. The search starts with a length of half the median distance
/// between stations and is told to stay near it weakly. Sums over events have a fixed order.
ModelErrors fit_model_errors(std::span<const ErrorSample> samples,
                             const std::array<double, phase_count>& guess, int threads);
/// The same from errors that an earlier search found.
ModelErrors fit_model_errors(std::span<const ErrorSample> samples, const ModelErrors& start,
                             int threads);

}  // namespace fermat
