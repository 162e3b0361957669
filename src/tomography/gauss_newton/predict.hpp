#pragma once

#include <span>
#include <vector>

#include "core/execution.hpp"
#include "model/model.hpp"
#include "rays/rays.hpp"
#include "survey/survey.hpp"
#include "tomography/gauss_newton/unknown_rows.hpp"
#include "tomography/gauss_newton/unknowns.hpp"

namespace fermat {

/// Times of all picks in a model, and how they change with the unknowns.
struct Prediction {
    std::vector<double> time;  ///< on rank 0, per pick; not a number where the ray was lost
    std::vector<RowLot> rows;  ///< of the picks that this rank has traced
    double seconds = 0;
    double ray_fraction = 0;  ///< of these, how much went into rays and not into time fields
};

/// The forward operator: solves each source's field, traces the rays of its picks and makes their
/// rows. `slopes` holds the derivative of each sample's slowness by the unknowns that it depends
/// on. Fields are not kept. Sources are dealt out to threads and ranks; rank 0 gets the times, the
/// same bits for any number of either, and rows stay on the rank that has traced them.
Prediction predict(const Model& model, const Survey& picks, const Unknowns& unknowns,
                   std::span<const float> slopes, const RayOptions& options,
                   const Execution& execution);

}  // namespace fermat
