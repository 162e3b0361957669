#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "model/model.hpp"

namespace fermat::bench {

/// Seconds in Table 2 of paper 5, of computing alone and in all.
struct PublishedTimes {
    double computing;
    double total;
    double share = 0;  ///< of computing in the total, in per cent, as printed
};

/// One medium of paper 5 on squares of 100, 200 and 500 grid points, spacing 1. The paper gives the
/// velocity of the lower layer, 5; the others are ours, and stand nowhere else.
struct Scenario {
    std::string_view name;
    Model (*model)(const Grid& grid);
    double (*exact)(const Grid& grid, Vec3 source, Vec3 point);  ///< NaN: there is no closed form
    bool source_in_middle;  ///< and 16 receivers round the edges; else 19 on the surface
    std::array<PublishedTimes, 3> ttcrpy;  ///< on an i7-1185G7
    std::array<PublishedTimes, 3> jetson;  ///< the paper's method on a Jetson Nano
};

inline constexpr std::array paper5_sizes = {100, 200, 500};
const std::array<Scenario, 3>& paper5_scenarios();

Grid paper5_grid(int nodes);
Vec3 paper5_source(const Scenario& scenario, const Grid& grid);
std::vector<Vec3> paper5_receivers(const Scenario& scenario, const Grid& grid);

}  // namespace fermat::bench
