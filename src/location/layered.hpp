#pragma once

#include "model/model.hpp"

namespace fermat {

/// The velocities of a layered model over distance and depth: a 2-D model in which x is the
/// distance from a station, from 0 to at least `distance`.
Model radial_model(const Model& layered, double distance);

}  // namespace fermat
