#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "survey/survey.hpp"

namespace fermat {

// First arrivals of a refraction line by delay times (Gardner 1939; Hagedoorn's plus-minus method
// is the case of reciprocal shots). A pick of the wave along refractor k from x_s to x_r has the
// time
//
//   t = d_k(x_s) + d_k(x_r) + |x_r - x_s| / v_k,
//
// d_k the delay time of the refractor below a point. Picks that run both ways tell d and v apart.
// In the layer at the ground waves run straight, or dive where its velocity v + g z grows with
// depth: t = 2 / g asinh(g |x_r - x_s| / 2 v).

/// A first arrival along a line.
struct LinePick {
    double source = 0;  ///< x
    double receiver = 0;
    double time = 0;
    double error = 0;

    double offset() const { return receiver > source ? receiver - source : source - receiver; }
};

/// The picks of a line, times from the origins of their events.
std::vector<LinePick> line_picks(const Survey& survey);

/// What the layer at the ground is like.
enum class TopLayer { constant, gradient };

/// Delay times and velocities of refractors; layer 0 is the one at the ground.
struct DelayTimes {
    double first = 0;  ///< x of the first place
    double step = 1;   ///< between places
    std::size_t places = 2;
    std::vector<double> velocity;            ///< of each layer, at its top
    double gradient = 0;                     ///< of the layer at the ground
    std::vector<std::vector<double>> delay;  ///< of refractor k at places: delay[k - 1]
    std::vector<std::size_t> layer_of;       ///< in which each pick travels
    double misfit = 0;                       ///< mean of |time - predicted|

    double delay_at(std::size_t refractor, double x) const;
    double time_of(std::size_t layer, const LinePick& pick) const;
};

/// Picks are shared among `layers` by the time over distance of all of them, of straight pieces
/// each flatter than that before it; then delay times, smooth along the line, and velocities of
/// each refractor come from its own picks, and each pick goes to the wave that is there first,
/// until none changes. Of several ways to divide times into pieces, that of the pieces that fit
/// best counts, unless another misses the picks less by a fifth in the end. `step`: distance of the
/// places of delay times. Throws InputError where picks do not tell that many layers.
DelayTimes find_delay_times(const std::vector<LinePick>& picks, std::size_t layers, double step);
/// The same; nothing where picks do not tell that many layers.
std::optional<DelayTimes> try_delay_times(const std::vector<LinePick>& picks, std::size_t layers,
                                          double step, TopLayer top);

/// Thickness of each layer but the last below the places, of the delay times: that which waves
/// along its bottom need, with the angles of level layers. At least a twentieth of its median.
std::vector<std::vector<double>> thicknesses_of(const DelayTimes& found);

}  // namespace fermat
