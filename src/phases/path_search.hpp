#pragma once

#include <memory>
#include <span>

#include "phases/branch_ray.hpp"
#include "phases/layer_kind.hpp"
#include "phases/phases.hpp"
#include "phases/start_lattice.hpp"

namespace fermat {

/// Finds the stationary path next to a start, for one list of legs. It keeps memory from path to
/// path: one per thread.
class PathFinder {
  public:
    /// `kinds` are those of the layers of the legs.
    PathFinder(const LayeredMedium& medium, const Legs& legs, std::span<const LayerKind> kinds,
               const PhaseOptions& options);
    ~PathFinder();
    PathFinder(PathFinder&&) noexcept;

    /// Ends are Cartesian places.
    BranchRay find(Vec3 source, Vec3 receiver, const PathStart& start);
    /// The path that goes along its interfaces where it cannot pass inside its layers.
    BranchRay find_along(Vec3 source, Vec3 receiver, const PathStart& start);

  private:
    class Search;
    template <class LayerT, class SurfaceT>
    class SearchIn;
    std::unique_ptr<Search> search_;
};

}  // namespace fermat
