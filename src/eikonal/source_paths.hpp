#pragma once

#include <memory>
#include <vector>

#include "core/vec3.hpp"
#include "eikonal/factored_source.hpp"
#include "model/model.hpp"

namespace fermat {

/// Shortest paths through the cells round a source, by points on their faces (Moser 1991). Values
/// on nodes cannot represent the singularity at the source together with the waves that start at
/// interfaces beside it.
class SourcePaths {
  public:
    /// The cells of the model must outlive this object.
    SourcePaths(const Model& model, Vec3 source);
    ~SourcePaths();
    SourcePaths(SourcePaths&&) noexcept;

    /// Nodes within five cells of the source (three in 3-D) and their times along relaxed paths, in
    /// units of the times in a homogeneous medium of the given slowness.
    std::vector<StartNode> starts(double source_slowness);
    /// Whether a point lies as near to the source as these nodes.
    bool reaches(Vec3 point) const;
    static bool reaches(const Grid& grid, Vec3 source, Vec3 point);
    /// The points after `point` on its path to the source; empty if no path leads there. Call it
    /// only after the times are known.
    std::vector<Vec3> way_from(Vec3 point) const;
    /// The time along the earliest of the relaxed paths through the faces round a point, and along
    /// the relaxed straight line. Infinite if no path leads there.
    double time_to(Vec3 point) const;
    void know_all();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace fermat
