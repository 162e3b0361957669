#pragma once

#include <cstdint>
#include <limits>

#include "core/field.hpp"
#include "core/option.hpp"
#include "model/model.hpp"
#include "tomography/smoothing/smoothing.hpp"

namespace fermat {

/// What keeps an update in bounds.
struct UpdateLimits {
    double step = 1;          ///< factor on every perturbation
    double max_change = 0.5;  ///< of velocity, relative, in one update; in (0, 1)
    double min_velocity = 0;
    double max_velocity = std::numeric_limits<double>::infinity();
};
inline bool is_share(const double& value) { return value > 0 && value < 1; }
template <>
inline constexpr auto options_of<UpdateLimits> =
    std::tuple{Option{"max_update", &UpdateLimits::max_change,
                      "of hole: largest relative change of velocity in one iteration",
                      Rule<double>{&is_share, "> 0 and < 1"}},
               Option{"min_velocity", &UpdateLimits::min_velocity, "least velocity", not_negative,
                      "of gauss-newton found, of hole none"},
               Option{"max_velocity", &UpdateLimits::max_velocity, "largest velocity",
                      Rule<double>{}, "of gauss-newton found, of hole none"}};

/// Smoothed cell perturbations on the nodes. A cell box of even size is centred on the cell's node
/// of lowest index, which takes its mean (paper 4); one of odd size is centred on the cell, so that
/// a node takes the mean of the cells round it. Cells without rays in their box hold 0 and do not
/// count.
Field<double> cells_to_nodes(const Grid& grid, FieldView<const double> cells, SmoothingSize box);

/// 1 at nodes that are not air; empty where there is no air.
Field<std::uint8_t> rock_mask(const Model& model);

struct Update {
    Model model;
    double max_change = 0;  ///< largest relative change of velocity
};

/// The model with 1/v + step * perturbation for its slowness, within the limits; air stays air.
Update apply_perturbation(const Model& model, FieldView<const double> perturbation,
                          const UpdateLimits& limits, int threads);

}  // namespace fermat
