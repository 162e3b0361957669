#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "rays/ray_set.hpp"
#include "survey/survey.hpp"

namespace fermat {

/// Residuals beyond these are not projected: outliers. In the units of the residuals, or of their
/// errors where picks are weighted by them.
struct ResidualLimits {
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
};

/// What became of a pick. Lost rays have a status of RayStatus; their residual is not a number.
enum class PickUse : std::uint8_t { used, lost, rejected };

/// What one pass over all sources makes of the picks.
struct PickResults {
    std::vector<double> residual;  ///< observed - computed time of each pick; NaN where lost
    std::vector<PickUse> use;
    std::vector<std::int64_t> lost_by_status;  ///< number of lost rays by RayStatus
};

/// How picks count: one weight, and one scale of its residual, a pick.
struct PickRules {
    std::vector<double> weights;
    std::vector<double> scale;  ///< divides residuals before they are held against the limits
    ResidualLimits limits;
};

/// What a ray spreads over every cell that it crosses.
struct RayProjection {
    double perturbation = 0;  ///< of slowness: residual / length (paper 4, section 2.2; Hole 1992)
    double weight = 0;
};

/// Books rays as they come.
class PickLedger {
  public:
    PickLedger(const Survey& picks, const PickRules& rules);

    /// What the ray of a pick is to spread, if it is used and longer than nothing.
    std::optional<RayProjection> book(std::size_t pick, double time, double length,
                                      RayStatus status);
    PickResults take() { return std::move(results_); }

  private:
    const Survey& picks_;
    const PickRules& rules_;
    PickResults results_;
};

}  // namespace fermat
