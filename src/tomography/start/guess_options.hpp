#pragma once

#include "core/option.hpp"

namespace fermat {

/// What the user said about the grid of an inversion; 0 where it is to be found.
struct GuessOptions {
    double spacing = 0;
    double depth = 0;  ///< of the model, below the lowest point of the ground
};
template <>
inline constexpr auto options_of<GuessOptions> = std::tuple{
    Option{"spacing", &GuessOptions::spacing, "of the grid, where no model is given", not_negative,
           "half of the points' distance"},
    Option{"depth", &GuessOptions::depth,
           "of the grid below the lowest point, where no model is given", not_negative, "found"}};

}  // namespace fermat
