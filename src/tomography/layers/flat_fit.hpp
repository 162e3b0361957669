#pragma once

#include <cstddef>
#include <vector>

#include "tomography/layers/flat_layers.hpp"

namespace fermat {

/// Times over distances of one phase in flat layers.
struct PhaseCurve {
    enum class Kind {
        turning,    ///< in layer `number`
        reflected,  ///< from the top of layer `number`
        first,      ///< turning wherever it is fastest
    };
    Kind kind = Kind::turning;
    std::size_t number = 0;
    std::vector<double> offset;
    std::vector<double> time;
    std::vector<double> error;
};

/// The time of a curve's wave.
double time_of(const FlatLayers& layers, const PhaseCurve& curve, double offset);

/// Flat layers that explain curves, and what of them was not told by any.
struct FlatFit {
    FlatLayers layers;
    std::vector<bool>
        seen;           ///< whether some wave turned in the layer, so that its velocity is known
    double misfit = 0;  ///< median of |time - fitted| / time
};

/// Layers from the top down, each by its own curves (least sum of |differences|), then all together
/// (least squares of differences over errors, far ones counted less). A layer that no wave turned
/// in is a tenth faster than the bottom of that above it, the last one a quarter. Throws
/// InputError where no curve tells the velocity of the first layer.
FlatFit fit_flat_layers(std::size_t count, const std::vector<PhaseCurve>& curves);

}  // namespace fermat
