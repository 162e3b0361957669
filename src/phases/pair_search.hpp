#pragma once

#include <map>
#include <memory>
#include <span>
#include <tuple>
#include <vector>

#include "phases/branch_ray.hpp"
#include "phases/path_search.hpp"
#include "phases/ways.hpp"

namespace fermat {

/// The arrivals of one pair by all ways. It keeps memory from pair to pair: one per thread.
class PairSearch {
  public:
    PairSearch(const LayeredMedium& medium, const PhaseOptions& options);

    std::vector<BranchRay> find(std::span<const std::unique_ptr<Way>> ways, RayPair pair,
                                Vec3 source, Vec3 receiver);

  private:
    /// A way whose path would leave its layers.
    struct BlockedWay {
        PathFinder* finder;
        PathStart start;
        double earliest = 0;     ///< time of that path, which one inside the layers cannot undercut
        bool reflected = false;  ///< looked at where no way arrives, since its time is no least one
    };

    /// Adds the rays that a level medium tells of itself. Returns whether there are no others.
    bool add_level_rays(std::span<const std::unique_ptr<Way>> ways, Vec3 source, Vec3 receiver);

    void follow(const Way& way, RayPair pair, Vec3 source, Vec3 receiver);

    /// The first arrival may go along an interface while a later wave passes inside its layers: of
    /// the ways that would leave their layers, those that may be earlier.
    void follow_blocked(Vec3 source, Vec3 receiver);

    void add(BranchRay&& ray);

    const LayeredMedium& medium_;
    const PhaseOptions& options_;
    double cell_ = 1;
    bool follows_interfaces_ = true;
    std::map<const Way*, PathFinder> finders_;
    /// By way, depth of the source and depth of the receiver.
    std::map<std::tuple<const LevelWay*, double, double>, std::vector<LevelWay::Sample>> samples_;
    std::vector<BranchRay> found_;
    std::vector<BlockedWay> blocked_;
    BranchRay missed_;
};

}  // namespace fermat
