#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/choice.hpp"
#include "core/option.hpp"
#include "location/difference_weights.hpp"

namespace fermat {

/// What an inversion finds of its events beside the ground.
enum class Relocate {
    none,   ///< events stay where and when they are
    times,  ///< origin times
    all,    ///< hypocentres and origin times
};
template <>
inline constexpr auto choices<Relocate> = choice_table<Relocate>(
    "relocation", {{"none", Relocate::none}, {"times", Relocate::times}, {"all", Relocate::all}});

/// Where the events of a run that finds places begin.
enum class StartPlaces {
    automatic,  ///< where they are found in the start model, if their picks fit that far better
    given,
    located,
};
template <>
inline constexpr auto choices<StartPlaces> =
    choice_table<StartPlaces>("start places", {{"auto", StartPlaces::automatic},
                                               {"given", StartPlaces::given},
                                               {"located", StartPlaces::located}});

/// Which velocities an inversion of P and S changes.
enum class Velocities {
    both,
    p,     ///< Vp; Vp/Vs stays, so that Vs follows
    s,     ///< Vs; Vp stays
    none,  ///< none: events and terms alone
};
template <>
inline constexpr auto choices<Velocities> = choice_table<Velocities>("velocities",
                                                                     {{"p,s", Velocities::both},
                                                                      {"p", Velocities::p},
                                                                      {"s", Velocities::s},
                                                                      {"none", Velocities::none}});

/// What is asked of a joint run about how far it can be trusted; the run itself does not depend on
/// it.
struct JointTrustOptions {
    bool resolution = false;
    bool deviation = false;
    int solves = 128;  ///< of each
    std::uint64_t seed = 1;
};

/// Of an inversion that finds more than one velocity, or where its events were.
struct JointOptions {
    Relocate relocate = Relocate::none;
    StartPlaces start_places = StartPlaces::automatic;
    Velocities velocities = Velocities::both;
    double vp_vs = 0;            ///< of a start of one velocity: S is Vp over it; 0: not given
    double vp_vs_smoothing = 1;  ///< weight of the roughness of Vp/Vs, in that of Vp
    int least_picks = 5;         ///< an event with fewer keeps its place
    Vec3 prior;                  ///< standard deviations of the given places; 0: not believed
    /// Where events begin: x, y, z along the flat axes (mapping.hpp) and origin time from what was
    /// given, per event; empty: there. What start_places led to, so that it tells no run from
    /// another.
    std::vector<std::array<double, 4>> first_shift;
    double difference_weight = 1;   ///< factor of the weights of all differences
    DifferenceWeighting weighting;  ///< of Survey::differences
    JointTrustOptions trust;
};
inline bool is_ratio_or_none(const double& ratio) {
    return ratio == 0 || (ratio > 1 && std::isfinite(ratio));
}
inline bool is_factor(const double& factor) { return factor > 0 && std::isfinite(factor); }
inline bool are_deviations(const Vec3& v) {
    return v.x >= 0 && v.y >= 0 && v.z >= 0 && std::isfinite(v.x + v.y + v.z);
}
inline bool are_enough_picks(const int& count) { return count >= 4 && count <= 1000; }
/// Without first_shift.
template <>
inline constexpr auto options_of<JointOptions> = std::tuple{
    Option{"relocate", &JointOptions::relocate,
           "of gauss-newton: what is found of the events beside the ground, their origin times or "
           "all (places too), into events.csv"},
    Option{"start_places", &JointOptions::start_places,
           "of relocate: where events begin, at the given places or where they are found in the "
           "start model; auto: found, if their picks fit that far better"},
    Option{"velocities", &JointOptions::velocities,
           "of gauss-newton with P and S: which of them change; with p alone Vp/Vs stays"},
    Option{"vp_vs", &JointOptions::vp_vs, "Vp/Vs of the start, where picks are of P and S",
           Rule<double>{&is_ratio_or_none, "> 1"}, "an S model is given"},
    Option{"vp_vs_smoothing", &JointOptions::vp_vs_smoothing,
           "weight of the roughness of Vp/Vs, as a factor of that of Vp",
           Rule<double>{&is_factor, "> 0"}},
    Option{"least_picks", &JointOptions::least_picks,
           "of relocate: an event with fewer picks keeps its place",
           Rule<int>{&are_enough_picks, "from 4 to 1000"}},
    Option{"prior", &JointOptions::prior,
           "of relocate: standard deviations of the given places along each axis, as if measured",
           Rule<Vec3>{&are_deviations, ">= 0 along each axis; 0: not believed"}, "not believed", 0},
    Option{"difference_weight", &JointOptions::difference_weight,
           "of differences: factor of the weight that the deviation of their residuals gives them",
           Rule<double>{&is_factor, "> 0"}},
    OptionPart{&JointOptions::weighting}};

}  // namespace fermat
