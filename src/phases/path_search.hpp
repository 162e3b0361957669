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
    /// `follows_interfaces`: paths that cannot pass inside their layers go along their interfaces.
    /// `kinds` are those of the layers of the legs.
    PathFinder(const LayeredMedium& medium, const Legs& legs, std::span<const LayerKind> kinds,
               const PhaseOptions& options, bool follows_interfaces);
    ~PathFinder();
    PathFinder(PathFinder&&) noexcept;

    /// Ends are Cartesian places.
    BranchRay find(Vec3 source, Vec3 receiver, const PathStart& start);

  private:
    class Search;
    template <class LayerT, class SurfaceT>
    class SearchIn;
    std::unique_ptr<Search> search_;
};

}  // namespace fermat
