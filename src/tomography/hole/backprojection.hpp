#pragma once

#include "core/choice.hpp"
#include "core/execution.hpp"
#include "model/model.hpp"
#include "rays/rays.hpp"
#include "survey/survey.hpp"
#include "tomography/pick_ledger.hpp"

namespace fermat {

/// How much a ray counts in the cells that it crosses.
enum class RayShare {
    even,    ///< the same in every one (paper 4, section 2.2): the default
    length,  ///< by its length in the cell
};
template <>
inline constexpr auto choices<RayShare> =
    choice_table<RayShare>("ray share", {{"even", RayShare::even}, {"length", RayShare::length}});

struct BackprojectionOptions {
    RayOptions rays;
    RayShare share = RayShare::even;
    PickRules picks;
};

/// One pass over all sources: what every pick says about the model, and how long that took.
struct PassReport {
    PickResults picks;
    double seconds = 0;
    double ray_fraction = 0;  ///< of these, how much went into rays and not into time fields
};

/// What rays left in the cells that they crossed.
struct CellSums {
    Field<double> perturbation;  ///< sum of weight times slowness perturbation
    Field<double> weight;        ///< sum of weights
    Field<float> count;          ///< rays
};

struct Backprojection {
    PassReport report;
    CellSums sums;
};

/// Solves each source's field (bent rays have none), traces the rays of its picks, and spreads each
/// residual evenly along its ray as a slowness perturbation, residual / length (paper 4,
/// section 2.2; Hole 1992). Fields are not kept. Sums are made on rank 0 in the order of sources
/// and picks: the same bits for any number of threads and ranks. Other ranks return an empty
/// result.
Backprojection backproject(const Model& model, const Survey& picks,
                           const BackprojectionOptions& options, const Execution& execution);

}  // namespace fermat
