#pragma once

#include <cmath>
#include <memory>
#include <optional>

#include "core/choice.hpp"
#include "core/grid.hpp"
#include "core/option.hpp"
#include "core/vec3.hpp"
#include "model/model.hpp"

namespace fermat {

struct KnownGround;

/// What a regularised model is like where the picks do not say.
enum class Regularisation {
    automatic,  ///< chosen before the run
    first,      ///< small gradient of the change from the start model
    second,     ///< small curvature of that change
    blocky,     ///< gradient of the model itself, large steps counted less: bodies with sharp edges
    mixed,      ///< the model is a sum of two, one of small curvature and one of few edges (2-D)
};
template <>
inline constexpr auto choices<Regularisation> =
    choice_table<Regularisation>("regularisation", {{"auto", Regularisation::automatic},
                                                    {"first", Regularisation::first},
                                                    {"second", Regularisation::second},
                                                    {"blocky", Regularisation::blocky},
                                                    {"mixed", Regularisation::mixed}});

/// Whether the roughness is of the model itself, and not of its change from the start model.
inline bool is_of_whole_model(Regularisation kind) {
    return kind == Regularisation::blocky || kind == Regularisation::mixed;
}

/// Times that an inversion finds beside the ground, one per shot or receiver, or one of all picks.
enum class Terms { none, shot, receiver, both, common };
template <>
inline constexpr auto choices<Terms> = choice_table<Terms>("terms", {{"none", Terms::none},
                                                                     {"shot", Terms::shot},
                                                                     {"receiver", Terms::receiver},
                                                                     {"shot,receiver", Terms::both},
                                                                     {"common", Terms::common}});

/// How residuals count, in units of their errors.
enum class DataNorm {
    trimmed,  ///< squares; picks that no model explains are left out
    l2,       ///< squares of all
    huber,    ///< squares up to 1.345 deviations, beyond as much as they are far
    l1,       ///< as much as they are far
};
template <>
inline constexpr auto choices<DataNorm> = choice_table<DataNorm>("data norm",
                                                                 {{"trimmed", DataNorm::trimmed},
                                                                  {"l2", DataNorm::l2},
                                                                  {"huber", DataNorm::huber},
                                                                  {"l1", DataNorm::l1}});

/// What the roughness is made of.
struct RoughnessOptions {
    Regularisation kind = Regularisation::automatic;
    Vec3 weights;  ///< of differences along x, y, z; 0: chosen
    /// Along x, y, z, beyond which the second order damps; 0: a quarter of the least extent. Where
    /// they differ they stand for the weights too: weights are lengths over the longest.
    Vec3 lengths;
    /// How firmly the change is held at 0 at top and bottom by the second order: its slope there is
    /// this number times itself over the length; none: chosen, or 0.
    std::optional<double> end_damping{};
};
inline bool is_end_damping(const std::optional<double>& damping) {
    return !damping || (*damping >= 0 && std::isfinite(*damping));
}
/// 0 on all axes stands for "chosen".
inline bool are_axis_weights(const Vec3& weights) {
    return weights == Vec3{} || (weights.x > 0 && weights.y > 0 && weights.z > 0 &&
                                 std::isfinite(weights.x + weights.y + weights.z));
}
template <>
inline constexpr auto options_of<RoughnessOptions> = std::tuple{
    Option{
        "regularisation", &RoughnessOptions::kind,
        "of gauss-newton: what is kept small, the change's gradient (first) or curvature "
        "(second), the number of edges (blocky), or both in two parts of the model (mixed); "
        "auto: mixed below a line along the surface (second where velocities hardly differ or the "
        "start model is a layer over rock), else "
        "second or blocky by cross-validation"},
    Option{"axis_weights", &RoughnessOptions::weights, "of the roughness along each axis",
           Rule<Vec3>{&are_axis_weights, "> 0 along each axis; 0: chosen"},
           "1, and 0.5 along z below a surface"},
    Option{"correlation_length", &RoughnessOptions::lengths,
           "of second: where the change may differ freely, in place of axis weights where it "
           "differs along the axes",
           Rule<Vec3>{&are_axis_weights, "> 0 along each axis; 0: chosen"},
           "a quarter of the shortest side, below a surface half of it"},
    Option{"end_damping", &RoughnessOptions::end_damping,
           "of second: how firmly the change is 0 at top and bottom of the model, from 0 (free) on",
           Rule<std::optional<double>>{&is_end_damping, ">= 0"}, "1.4 between boreholes, else 0"}};

/// A regularised Gauss-Newton inversion.
struct GaussNewtonOptions {
    RoughnessOptions roughness;
    Index3 ratio{0, 0, 0};  ///< spacing of the unknowns in spacings of the model; 0: chosen
    double lambda = 0;      ///< weight of the roughness, kept; 0: found
    int iterations = 30;    ///< at most
    Terms terms = Terms::none;
    DataNorm norm = DataNorm::trimmed;
    /// What the roughness is of: the difference from this model; none: from the start model.
    std::shared_ptr<const Model> reference;
    /// Velocities, regions and interfaces that are known beside the picks; none: nothing is.
    std::shared_ptr<const KnownGround> known;
};
/// 0 on all axes stands for "found".
inline bool is_ratio(const Index3& ratio) {
    return ratio == Index3{} || (ratio.x >= 1 && ratio.y >= 1 && ratio.z >= 1);
}
inline bool is_iteration_count(const int& count) { return count >= 1 && count <= 1000; }
template <>
inline constexpr auto options_of<GaussNewtonOptions> = std::tuple{
    OptionPart{&GaussNewtonOptions::roughness},
    Option{"unknown_ratio", &GaussNewtonOptions::ratio,
           "spacing of the unknowns in spacings of the model",
           Rule<Index3>{&is_ratio, ">= 1 along each axis; 0: found"},
           "at most 6000 unknowns in 2-D and 30000 in 3-D"},
    Option{"smoothing", &GaussNewtonOptions::lambda, "weight of the roughness, kept", not_negative,
           "found, so that chi2 is 1"},
    Option{"iterations", &GaussNewtonOptions::iterations, "of gauss-newton, at most",
           Rule<int>{&is_iteration_count, "from 1 to 1000"}},
    Option{"terms", &GaussNewtonOptions::terms,
           "of gauss-newton: times of shots or receivers, or one of all picks (common), found "
           "beside the ground, into terms.csv"},
    Option{"norm", &GaussNewtonOptions::norm,
           "of gauss-newton: how residuals count, by squares without outliers (trimmed), "
           "by squares of all (l2), or far ones less (huber, l1)"}};

}  // namespace fermat
