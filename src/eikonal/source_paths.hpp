#pragma once

#include <memory>
#include <vector>

#include "core/vec3.hpp"
#include "eikonal/factored_source.hpp"
#include "model/model.hpp"

namespace fermat {

/// Shortest paths through the cells round a source, by points on their faces (Moser 1991). The
/// source's own singularity, and what starts at interfaces beside it, are too much there for any
/// field that nodes hold.
class SourcePaths {
  public:
    /// The model's cells must outlive it.
    SourcePaths(const Model& model, Vec3 source);
    ~SourcePaths();
    SourcePaths(SourcePaths&&) noexcept;

    /// Nodes within five cells of the source (three in 3-D) and their times along relaxed paths, in
    /// units of those in a medium of the given slowness.
    std::vector<StartNode> starts(double source_slowness);
    /// Whether a point lies as near as that.
    bool reaches(Vec3 point) const;
    /// The points after `point` on its path to the source; none where no path leads there. To be
    /// asked once all is known.
    std::vector<Vec3> way_from(Vec3 point) const;
    void know_all();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace fermat
