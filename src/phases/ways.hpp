#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/vec3.hpp"
#include "model/layered_medium.hpp"
#include "phases/branch.hpp"
#include "phases/layer_kind.hpp"
#include "phases/leg_lists.hpp"
#include "phases/level_way.hpp"
#include "phases/phases.hpp"
#include "phases/start_lattice.hpp"

namespace fermat {

/// Starts of one way that are followed, of minima and of others.
inline constexpr int most_starts = 12;

/// A list of legs between two layers, with what all its pairs share.
struct Way {
    Legs legs;
    std::vector<LayerKind> kinds;  ///< of the layers of the legs
    StartLattice lattice;
    /// Where the medium is level and waves turn; two where the first may turn or not.
    std::vector<LevelWay> level;
    std::map<std::int32_t, StartLattice::Table> sources;
    std::map<std::int32_t, StartLattice::Table> receivers;
};

/// Layers and Cartesian places of points.
struct Ends {
    std::vector<int> layers;
    std::vector<char> on_top;  ///< whether a point lies on the interface on top of its layer
    std::vector<Vec3> places;

    /// A number that points share which have the same ways.
    int kind_of(std::int32_t point) const {
        const auto n = static_cast<std::size_t>(point);
        return kind_of_end(layers[n], on_top[n] != 0);
    }
};
/// `what` names the points in errors.
Ends ends_of(const LayeredMedium& medium, std::span<const Vec3> points, std::string_view what);

/// By the kinds of source and receiver.
using Ways = std::map<std::pair<int, int>, std::vector<std::unique_ptr<Way>>>;
/// The arrivals of each pair.
using Rays = std::vector<std::vector<BranchRay>>;

/// The ways between each pair of kinds of points that has pairs.
Ways ways_between(const LayeredMedium& medium, const Branch& branch, const Ends& from,
                  const Ends& to, std::span<const RayPair> pairs);

/// Gives ways their tables of the points that the pairs of these numbers use, and no others.
void fill_tables(Ways& ways, const Ends& from, const Ends& to, std::span<const RayPair> pairs,
                 std::span<const std::size_t> numbers, int threads);

}  // namespace fermat
