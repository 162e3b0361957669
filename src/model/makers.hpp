#pragma once

#include <cstdint>
#include <span>

#include "model/layer.hpp"
#include "model/placement.hpp"

namespace fermat {

// Makers of models. Each throws InputError for a bad grid or a bad value. z is depth, positive
// down; velocities and lengths are in consistent units of the user's choice. In a model of cells,
// each cell has the velocity at its middle.

/// A constant velocity.
Model constant_model(const Grid& grid, double velocity, Placement placement = Placement::nodes);

/// v = v0 + gradient * (z - top), with z the depth and `top` the depth of the grid's first nodes:
/// v0 is the velocity at the top of the grid. The closed form LinearVelocity has its v0 at z = 0,
/// which is v0 - gradient * top here. Throws where the velocity does not stay positive, and says at
/// which depth.
Model gradient_model(const Grid& grid, double v0, double gradient,
                     Placement placement = Placement::nodes);

/// v = v0 + gradient . (p - origin), with p = (x, y, z). The velocity grows in any direction; v0 is
/// the velocity at the grid's first node.
Model gradient_model(const Grid& grid, double v0, Vec3 gradient,
                     Placement placement = Placement::nodes);

/// Layers given by the depths of their tops, in increasing depth. A layer reaches down to the top
/// of the next one; the first also fills the space above it. A node on a boundary belongs to the
/// lower layer. Velocity 0 makes a layer of air.
Model layered_model(const Grid& grid, std::span<const DepthVelocity> layers,
                    Placement placement = Placement::nodes);

/// A 1-D profile extended to 2-D or 3-D. Velocity is linear between its points, constant above the
/// first and below the last. One point makes a constant model.
Model profile_model(const Grid& grid, std::span<const DepthVelocity> profile,
                    Placement placement = Placement::nodes);

/// Velocity of a profile at a depth, interpolated as in profile_model.
double profile_velocity(std::span<const DepthVelocity> profile, double depth);

/// Alternating boxes of v * (1 + amplitude) and v * (1 - amplitude); the box at the grid's origin
/// has the former.
struct CheckerboardOptions {
    Vec3 size;               ///< lengths of a box; infinity: no alternation along that axis
    double amplitude = 0.1;  ///< relative; negative starts with the slow box
};
/// Puts a checkerboard on a model. Air stays air, and cells stay cells. In 2-D the size along y is
/// ignored.
Model checkerboard_model(const Model& base, const CheckerboardOptions& options);

/// Gaussian-correlated random velocity: velocity * (1 + a) with |a| <= amplitude. The mean of a is
/// 0, and at least one node reaches the bound.
struct RandomSmoothOptions {
    double velocity = 1;     ///< mean
    double amplitude = 0.1;  ///< relative bound
    double correlation = 1;  ///< length at which the autocorrelation falls to 1/e
    std::uint64_t seed = 1;
};
/// Equal options give the same bits on every machine. The medium is periodic beyond the grid, so
/// its statistics are the same at the faces as inside, and opposite faces resemble each other over
/// a correlation length. If the correlation is longer than a side of the grid, the medium is
/// constant along that side.
Model random_smooth_model(const Grid& grid, const RandomSmoothOptions& options,
                          Placement placement = Placement::nodes);

/// Blocks of constant random velocity, uniform in [v_min, v_max]: a difficult medium for solvers.
struct RandomBlocksOptions {
    double v_min = 1;
    double v_max = 10;
    Shape block{8, 8, 8};  ///< size in nodes or cells; y is ignored in 2-D
    std::uint64_t seed = 1;
};
/// Equal options give the same bits on every machine.
Model random_blocks_model(const Grid& grid, const RandomBlocksOptions& options,
                          Placement placement = Placement::nodes);

}  // namespace fermat
