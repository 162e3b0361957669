#pragma once

#include <cstdint>
#include <span>

#include "model/layer.hpp"
#include "model/placement.hpp"

namespace fermat {

// Makers of models. Each throws InputError for a bad grid or a bad value; z is depth, positive
// down; velocities and lengths are in the user's own consistent units. A model of cells has in each
// cell what a maker gives at the cell's middle.

/// The same velocity everywhere.
Model constant_model(const Grid& grid, double velocity, Placement placement = Placement::nodes);

/// v = v0 + gradient * (z - top), with z the depth coordinate and `top` that of the grid's first
/// nodes: v0 is the velocity at the grid's top, wherever that lies. The closed form of the same
/// medium, LinearVelocity, has its v0 at z = 0: v0 - gradient * top. Throws where the velocity does
/// not stay positive, and says at which depth.
Model gradient_model(const Grid& grid, double v0, double gradient,
                     Placement placement = Placement::nodes);

/// v = v0 + gradient . (p - origin), with p = (x, y, z): the velocity grows in any direction, and
/// v0 is that at the grid's first node.
Model gradient_model(const Grid& grid, double v0, Vec3 gradient,
                     Placement placement = Placement::nodes);

/// Layers by the depth of their tops, downwards. A layer holds from its top to the next one's; the
/// first also fills what lies above it. A node on a boundary belongs to the lower layer. Velocity 0
/// makes a layer of air.
Model layered_model(const Grid& grid, std::span<const DepthVelocity> layers,
                    Placement placement = Placement::nodes);

/// A 1-D profile extruded to 2-D or 3-D: linear in velocity between its points, constant above the
/// first and below the last. One point makes a constant model.
Model profile_model(const Grid& grid, std::span<const DepthVelocity> profile,
                    Placement placement = Placement::nodes);

/// Velocity of a profile at a depth, as profile_model reads it.
double profile_velocity(std::span<const DepthVelocity> profile, double depth);

/// Boxes of v * (1 + amplitude) and v * (1 - amplitude) in turn, starting with the former at the
/// grid's origin.
struct CheckerboardOptions {
    Vec3 size;               ///< of a box, as lengths; infinity: no alternation along that axis
    double amplitude = 0.1;  ///< relative; negative starts with the slow box
};
/// Air stays air, and cells stay cells. In 2-D the size along y is ignored.
Model checkerboard_model(const Model& base, const CheckerboardOptions& options);

/// Gaussian-correlated random velocity: velocity * (1 + a), |a| <= amplitude, the mean of a is 0
/// and the bound is reached at one node at least.
struct RandomSmoothOptions {
    double velocity = 1;     ///< mean
    double amplitude = 0.1;  ///< relative bound
    double correlation = 1;  ///< length at which the autocorrelation falls to 1/e
    std::uint64_t seed = 1;
};
/// The same options give the same bits on every machine. The medium repeats periodically beyond
/// the grid (its statistics are the same at the faces as inside), so opposite faces resemble each
/// other over a correlation length. A correlation longer than one side of the grid makes a medium
/// that is constant along it.
Model random_smooth_model(const Grid& grid, const RandomSmoothOptions& options,
                          Placement placement = Placement::nodes);

/// Blocks of constant random velocity, uniform in [v_min, v_max]: a hard medium for solvers.
struct RandomBlocksOptions {
    double v_min = 1;
    double v_max = 10;
    Shape block{8, 8, 8};  ///< of one block, in nodes or cells; y is ignored in 2-D
    std::uint64_t seed = 1;
};
/// The same options give the same bits on every machine.
Model random_blocks_model(const Grid& grid, const RandomBlocksOptions& options,
                          Placement placement = Placement::nodes);

}  // namespace fermat
