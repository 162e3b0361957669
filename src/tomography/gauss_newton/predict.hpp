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
    /// On rank 0, per pick, where asked for: derivative of the time by the receiver's flat place,
    /// which is the slowness there, away from the source.
    std::vector<Vec3> receiver_slope;
    std::vector<RowLot> rows;  ///< of the picks that this rank has traced
    /// Where asked for: per cell, how many of these rays cross it.
    std::vector<std::int32_t> crossings;
    /// On rank 0: events whose times are of first order, because the second did not settle.
    std::int64_t first_order_events = 0;
    std::int64_t coarse_events = 0;  ///< likewise, beside jumps alone
    double seconds = 0;
    double ray_fraction = 0;  ///< of these, how much went into rays and not into time fields
};

/// What a prediction is asked for beside times and rows.
struct PredictionExtras {
    bool receiver_slopes = false;
    bool crossings = false;
};

/// The forward operator: solves each source's field, traces the rays of its picks and makes their
/// rows. `slopes` holds the derivative of each sample's slowness by the unknowns that it depends
/// on. Fields are not kept. Sources are dealt out to threads and ranks; rank 0 gets the times, the
/// same bits for any number of either, and rows stay on the rank that has traced them.
Prediction predict(const Model& model, const Survey& picks, const Unknowns& unknowns,
                   std::span<const float> slopes, const RayOptions& options,
                   const Execution& execution, const PredictionExtras& extras = {});

/// On rank 0, of what each rank has counted: rays in each cell. All ranks must call it.
Field<float> coverage_of(const std::vector<std::int32_t>& crossings, const Grid& grid,
                         Ranks& ranks);

/// Derivative of the time by the first point of a path, from receiver to source, along flat axes
/// (mapping.hpp): in isotropic media the slowness there times the direction in which the path
/// arrives; 0 where the path has no length.
Vec3 receiver_slope(const Model& model, std::span<const Vec3> path);

}  // namespace fermat
