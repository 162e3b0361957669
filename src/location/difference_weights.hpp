#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "location/differences.hpp"
#include "location/not_known.hpp"

namespace fermat {

/// How differences of times count beside one another.
struct DifferenceWeighting {
    double trim = 4;
    double catalogue_reach = 0;
    double correlation_reach = 0;
};

inline bool is_trim(const double& trim) { return trim >= 2 && trim <= 100; }

template <>
inline constexpr auto options_of<DifferenceWeighting> = std::tuple{
    Option{"trim", &DifferenceWeighting::trim,
           "standard deviations beyond which a difference counts for nothing",
           Rule<double>{&is_trim, "from 2 to 100"}},
    Option{"catalogue_reach", &DifferenceWeighting::catalogue_reach,
           "distance of two events at which catalogue differences count for nothing; 0: any",
           not_negative},
    Option{"correlation_reach", &DifferenceWeighting::correlation_reach,
           "the same of correlation differences", not_negative}};

using KindNumbers = std::array<double, kind_count>;

/// A difference as its weight needs it.
struct DifferenceState {
    DifferenceKind kind = DifferenceKind::catalogue;
    double weight = 0;    ///< its own
    double residual = 0;  ///< not a number where it is not known
    double apart = 0;     ///< distance of its events
};

/// Weights w of w r^2, one per difference: (own weight / deviation of its kind)^2, times a biweight
/// of the residual and a bicube of the distance (Waldhauser & Ellsworth 2000). The deviation is
/// found from the median of the residuals of a kind, at least a microsecond; `deviation` keeps its
/// number where a kind has no residual.
std::vector<double> difference_weights(std::span<const DifferenceState> differences,
                                       const DifferenceWeighting& options, KindNumbers& deviation);

/// RMS of residuals per kind with these weights; not a number where a kind has none.
KindNumbers rms_of_kinds(std::span<const DifferenceState> differences,
                         std::span<const double> weights);

/// How well a model fits differences: one number per difference, and per kind.
struct DifferenceFits {
    std::vector<double> residuals;  ///< not a number: not used
    std::vector<double> weights;    ///< without the deviation of the kind; 0: not used
    KindNumbers rms_before{not_known, not_known};
    KindNumbers rms{not_known, not_known};        ///< weighted
    KindNumbers deviation{not_known, not_known};  ///< that weighed the kinds
};

/// One sentence per kind that has differences: RMS before and after, and how many count.
std::vector<std::string> describe(const std::vector<TimeDifference>& differences,
                                  const DifferenceFits& fits);

}  // namespace fermat
