#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/choice.hpp"
#include "core/monitor.hpp"
#include "core/ranks.hpp"
#include "model/model.hpp"
#include "rays/rays.hpp"
#include "tomography/picks.hpp"

namespace fermat {

/// How much a ray counts in the cells that it crosses.
enum class RayShare {
    even,    ///< the same in every one (paper 4, section 2.2): the default
    length,  ///< by its length in the cell
};
template <>
inline constexpr auto choices<RayShare> =
    choice_table<RayShare>("ray share", {{"even", RayShare::even}, {"length", RayShare::length}});

/// Residuals beyond these are not projected: outliers. In the units of the residuals, or of their
/// errors where picks are weighted by them.
struct ResidualLimits {
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
};

/// What became of a pick. Lost rays have a status of RayStatus; their residual is not a number.
enum class PickUse : std::uint8_t { used, lost, rejected };

/// One pass over all sources: what every pick says about the model.
struct Backprojection {
    std::vector<double> residual;  ///< observed - computed time of each pick; NaN where lost
    std::vector<PickUse> use;
    std::vector<std::int64_t> lost_by_status;  ///< number of lost rays by RayStatus
    Field<double> perturbation;  ///< sum of weight times slowness perturbation, by cells
    Field<double> weight;        ///< sum of weights, by cells
    Field<float> count;          ///< rays, by cells
    double seconds = 0;          ///< of the pass
    double ray_fraction = 0;     ///< of these, how much went into rays and not into time fields
};

struct BackprojectionOptions {
    RayOptions rays;
    RayShare share = RayShare::even;
    std::vector<double> weights;  ///< one a pick
    std::vector<double> scale;    ///< divides residuals before they are held against the limits
    ResidualLimits limits;
};

/// Solves each source's field, traces the rays of its picks, and spreads each residual evenly along
/// its ray as a slowness perturbation, residual / length (paper 4, section 2.2; Hole 1992). Fields
/// are not kept. Sums are made on rank 0 in the order of sources and picks: the same bits for any
/// number of threads and ranks. Other ranks return an empty result.
Backprojection backproject(const Model& model, const Picks& picks,
                           const BackprojectionOptions& options, Ranks& ranks, Monitor& monitor);

}  // namespace fermat
