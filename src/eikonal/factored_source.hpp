#pragma once

#include <limits>
#include <span>
#include <vector>

#include "eikonal/source_factor.hpp"
#include "model/model.hpp"
#include "model/model_cuda.hpp"

namespace fermat {

/// A node beside the source whose tau is known before the solve.
struct StartNode {
    Index3 node;
    double tau = 0;
};

/// A point source, or a front given on nodes, as the factored solvers see it. s0 is the slowness at
/// the source.
struct FactoredSource : SourceFactor {
    /// For a point: the nodes within one cell of it along each axis, or more nodes if velocity
    /// jumps between cells. For a front: all nodes on which it is given.
    std::vector<StartNode> starts;
    /// The largest T0 tau that the caller wants. Nodes with later arrivals may stay `unreached` or
    /// get a time that is too late.
    double until = std::numeric_limits<double>::infinity();
};

/// Finds the start nodes and their times. A time is the integral of slowness along the straight
/// line from the source, because the bending of a ray over one cell changes it by less than the
/// error of the schemes. If velocity jumps between cells, the times are those of shortest paths
/// (source_paths.hpp). Throws as require_rock does.
FactoredSource factor_source(const Model& model, Vec3 position);
/// Factors sources in a model on the device; reads only the few nodes round each, with one wait.
std::vector<FactoredSource> factor_sources(const CudaModel& model, std::span<const Vec3> positions);

/// The nodes of a model on the device that factor_source reads for a source.
struct PartOfModel {
    Index3 first;  ///< in the whole grid
    Grid grid;
    Field<float> velocity;
    Vec3 source;  ///< the position that the solvers use
};
std::vector<PartOfModel> round_sources(const CudaModel& model, std::span<const Vec3> positions);
/// A source factored in a part of a model, as one of the whole.
FactoredSource in_whole_grid(FactoredSource source, const PartOfModel& part);

/// Throws InputError if the time across a cell is so small or so large that arrival times could
/// leave the range of single precision.
void require_crossing_time(const Grid& grid, const FactoredSource& source);

/// The largest power of two that does not exceed a positive number. Used as a unit, it keeps values
/// in the range of a float and changes no digit of them.
double power_of_two_near(double value);

}  // namespace fermat
