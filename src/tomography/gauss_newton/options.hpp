#pragma once

#include <memory>

#include "core/choice.hpp"
#include "core/grid.hpp"
#include "core/vec3.hpp"
#include "model/model.hpp"

namespace fermat {

/// What a regularised model is like where the picks do not say.
enum class Regularisation {
    automatic,  ///< chosen before the run
    first,      ///< small gradient of the change from the start model
    second,     ///< small curvature of that change
    blocky,     ///< gradient of the model itself, large steps counted less: bodies with sharp edges
};
template <>
inline constexpr auto choices<Regularisation> =
    choice_table<Regularisation>("regularisation", {{"auto", Regularisation::automatic},
                                                    {"first", Regularisation::first},
                                                    {"second", Regularisation::second},
                                                    {"blocky", Regularisation::blocky}});

/// Times that an inversion finds beside the ground, one per shot or receiver.
enum class Terms { none, shot, receiver, both };
template <>
inline constexpr auto choices<Terms> = choice_table<Terms>("terms",
                                                           {{"none", Terms::none},
                                                            {"shot", Terms::shot},
                                                            {"receiver", Terms::receiver},
                                                            {"shot,receiver", Terms::both}});

/// What the roughness is made of.
struct RoughnessOptions {
    Regularisation kind = Regularisation::automatic;
    Vec3 weights;       ///< of differences along x, y, z; 0: chosen
    double length = 0;  ///< beyond which the second order damps; 0: a quarter of the least extent
};

/// Lengths along x, y, z, as one length and weights: where they differ, the weights must not be
/// given. 0 along all: chosen.
void set_correlation_lengths(RoughnessOptions& roughness, Vec3 lengths);

/// A regularised Gauss-Newton inversion.
struct GaussNewtonOptions {
    RoughnessOptions roughness;
    Index3 ratio{0, 0, 0};  ///< spacing of the unknowns in spacings of the model; 0: chosen
    double lambda = 0;      ///< weight of the roughness, kept; 0: found
    int iterations = 30;    ///< at most
    Terms terms = Terms::none;
    /// What the roughness is of: the difference from this model; none: from the start model.
    std::shared_ptr<const Model> reference;
};

}  // namespace fermat
