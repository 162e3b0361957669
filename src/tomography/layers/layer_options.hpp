#pragma once

#include "core/option.hpp"
#include "core/vec3.hpp"

namespace fermat {

/// What is known of layers before the picks: how far velocities and depths may be from those of the
/// start, as standard deviations, and over which lengths such changes hang together.
struct LayerPrior {
    double velocity = 0.05;       ///< relative
    double depth = 2;             ///< in lengths
    Vec3 velocity_length;         ///< along x, y, z; 0: an eighth of the model, along z a fifth
    double interface_length = 0;  ///< 0: an eighth of the model
    int most_unknowns = 3000;
};
inline bool is_deviation(const double& value) { return value >= 0 && std::isfinite(value); }
inline bool are_lengths(const Vec3& value) {
    return value.x >= 0 && value.y >= 0 && value.z >= 0 &&
           std::isfinite(value.x + value.y + value.z);
}
inline bool is_unknown_count(const int& value) { return value >= 10 && value <= 20000; }
template <>
inline constexpr auto options_of<LayerPrior> = std::tuple{
    Option{"velocity_deviation", &LayerPrior::velocity,
           "of layers: how far their velocities may be from the start's, relative; 0: kept",
           Rule<double>{&is_deviation, ">= 0"}},
    Option{"depth_deviation", &LayerPrior::depth,
           "of interfaces: how far their depths may be from the start's; 0: kept",
           Rule<double>{&is_deviation, ">= 0"}},
    Option{"velocity_length", &LayerPrior::velocity_length,
           "of layers: over which changes of velocity hang together",
           Rule<Vec3>{&are_lengths, ">= 0 along each axis; 0: chosen"},
           "an eighth of the model, along z a fifth"},
    Option{"interface_length", &LayerPrior::interface_length,
           "of interfaces: over which changes of depth hang together",
           Rule<double>{&is_deviation, ">= 0; 0: chosen"}, "an eighth of the model"},
    Option{"most_unknowns", &LayerPrior::most_unknowns, "of layers and interfaces together",
           Rule<int>{&is_unknown_count, "10 to 20000"}}};

}  // namespace fermat
