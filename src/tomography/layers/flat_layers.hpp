#pragma once

#include <cstddef>
#include <vector>

namespace fermat {

/// Flat layers below a level surface, where sources and receivers are. The velocity of each is
/// `velocity` at its top and grows by `gradient` per length.
struct FlatLayers {
    std::vector<double> top;  ///< below the surface; the first is 0
    std::vector<double> velocity;
    std::vector<double> gradient;

    std::size_t size() const { return top.size(); }
    double thickness(std::size_t layer) const { return top[layer + 1] - top[layer]; }
    double bottom_velocity(std::size_t layer) const {
        return velocity[layer] + gradient[layer] * thickness(layer);
    }
};

/// Time of the wave that turns in a layer, or runs along its top: of a wave that would be there,
/// before the distance at which it begins. Layers reach as deep as it needs.
double turning_time(const FlatLayers& layers, std::size_t layer, double offset);

/// Whether such a wave has begun at this distance.
bool turns_at(const FlatLayers& layers, std::size_t layer, double offset);

/// Time of the reflection from the top of a layer, which is not the first. Beyond the last true
/// reflection it goes on along a line.
double reflected_time(const FlatLayers& layers, std::size_t layer, double offset);

/// The least time of all waves that turn.
double first_time(const FlatLayers& layers, double offset);

}  // namespace fermat
