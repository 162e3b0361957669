#pragma once

#include <limits>
#include <vector>

#include "eikonal/source_factor.hpp"
#include "model/model.hpp"
#include "model/model_cuda.hpp"

namespace fermat {

/// A node beside the source whose tau is known beforehand.
struct StartNode {
    Index3 node;
    double tau = 0;
};

/// A point source, or a front given on nodes, as the factored solvers see it. s0 is the slowness at
/// the source.
struct FactoredSource : SourceFactor {
    /// Of a point: nodes within one cell of it along each axis; more where velocity jumps between
    /// cells. Of a front: all nodes that it is given on.
    std::vector<StartNode> starts;
    /// The largest T0 tau that is wanted. Later nodes may be left `unreached`, or late.
    double until = std::numeric_limits<double>::infinity();
};

/// Where the source counts as: in the box's plane in 2-D. Throws InputError for a source outside
/// the box or in air.
Vec3 require_source(const Model& model, Vec3 position);

/// Times of the start nodes are integrals of slowness along the straight line from the source: the
/// ray's bending over one cell is of higher order than the schemes. Where velocity jumps between
/// cells they are those of shortest paths (source_paths.hpp). Throws as require_source does.
FactoredSource factor_source(const Model& model, Vec3 position);
/// The same from the few nodes round the source.
FactoredSource factor_source(const CudaModel& model, Vec3 position);

/// Throws InputError where the time across a cell is so small or so large that times through all
/// cells and slow bodies might leave the range of single precision.
void require_crossing_time(const Grid& grid, const FactoredSource& source);

/// The power of two next below a positive number. As a unit it changes no digit of what is
/// computed, and keeps it in the range of a float.
double power_of_two_near(double value);

}  // namespace fermat
