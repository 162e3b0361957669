#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/option.hpp"
#include "core/vec3.hpp"

namespace fermat {

/// What is known before of one interface, or of one wave's velocity in one layer.
struct BlockPrior {
    std::string of;        ///< id of the interface, or "P0": P in layer 0
    double deviation = 0;  ///< a length, or relative; 0: kept
    double length = 0;     ///< over which changes hang together; 0: as the others of its kind
};

/// A depth of an interface that somebody measured, as in a borehole.
struct DepthDatum {
    std::string interface;
    Vec3 at;  ///< x, y and depth of users
    double error = 0;
};

/// What is known of layers before the picks: how far velocities and depths may be from those of the
/// start, as standard deviations, and over which lengths such changes hang together.
struct LayerPrior {
    double velocity = 0.05;       ///< relative
    std::optional<double> depth;  ///< in lengths; not given: chosen_deviation()
    Vec3 velocity_length;         ///< along x, y, z; 0: an eighth of the model, along z a fifth
    double interface_length = 0;  ///< 0: an eighth of the model
    double coupling = 0;          ///< of the changes of velocity on both sides of an interface
    std::optional<double> min_depth;
    std::optional<double> max_depth;
    int most_unknowns = 3000;
    std::vector<BlockPrior> blocks;
    std::vector<DepthDatum> depths;
};
inline bool is_deviation(const double& value) { return value >= 0 && std::isfinite(value); }
inline bool is_deviation_or_none(const std::optional<double>& value) {
    return !value || is_deviation(*value);
}
inline bool is_depth_or_none(const std::optional<double>& value) {
    return !value || std::isfinite(*value);
}
inline bool are_lengths(const Vec3& value) {
    return value.x >= 0 && value.y >= 0 && value.z >= 0 &&
           std::isfinite(value.x + value.y + value.z);
}
inline bool is_coupling(const double& value) { return value >= 0 && value <= 0.99; }
inline bool is_unknown_count(const int& value) { return value >= 10 && value <= 20000; }
/// Without what is known of single blocks and the measured depths, which are lists.
template <>
inline constexpr auto options_of<LayerPrior> = std::tuple{
    Option{"velocity_deviation", &LayerPrior::velocity,
           "of layers: how far their velocities may be from the start's, relative; 0: kept",
           Rule<double>{&is_deviation, ">= 0"}},
    Option{"depth_deviation", &LayerPrior::depth,
           "of interfaces: how far their depths may be from the start's; 0: kept",
           Rule<std::optional<double>>{&is_deviation_or_none, ">= 0"},
           "a fifteenth of the depth of the deepest"},
    Option{"velocity_length", &LayerPrior::velocity_length,
           "of layers: over which changes of velocity hang together",
           Rule<Vec3>{&are_lengths, ">= 0 along each axis; 0: chosen"},
           "an eighth of the model, along z a fifth"},
    Option{"interface_length", &LayerPrior::interface_length,
           "of interfaces: over which changes of depth hang together, that is how rough they are",
           Rule<double>{&is_deviation, ">= 0; 0: chosen"}, "an eighth of the model"},
    Option{"coupling", &LayerPrior::coupling,
           "of layers: correlation of their changes of velocity across an interface; 0: jumps are "
           "free",
           Rule<double>{&is_coupling, "0 to 0.99"}},
    Option{"min_depth", &LayerPrior::min_depth, "of interfaces: least depth",
           Rule<std::optional<double>>{&is_depth_or_none, "a depth"}, "the interface above"},
    Option{"max_depth", &LayerPrior::max_depth, "of interfaces: largest depth",
           Rule<std::optional<double>>{&is_depth_or_none, "a depth"}, "the bottom of the model"},
    Option{"most_unknowns", &LayerPrior::most_unknowns, "of layers and interfaces together",
           Rule<int>{&is_unknown_count, "10 to 20000"}}};

}  // namespace fermat
