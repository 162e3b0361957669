#pragma once

#include <cstdint>
#include <vector>

#include "core/vec3.hpp"
#include "model/layered_medium.hpp"
#include "phases/branch.hpp"

namespace fermat {

/// Joints of a path, as coordinates of users on the interfaces, from the source on.
struct PathStart {
    std::vector<double> joints;  ///< two coordinates each
    double time = 0;             ///< along straight legs between them
    bool least = true;           ///< of a minimum of that time; else of a maximum or saddle
    int pivot = -1;              ///< the joint along which it is none
};

/// Times along straight legs between points of coarse lattices on the interfaces of one list of
/// legs: they tell where to look for stationary paths. The legs up to the *pivot*, the middle
/// reflection, are found by the least time from the source (Bellman), those after it by the least
/// time from the receiver; over the pivot's lattice every stationary point of their sum is a start.
class StartLattice {
  public:
    /// `points`: of a lattice along x; along y as many in proportion. All places are Cartesian.
    StartLattice(const LayeredMedium& medium, const Legs& legs);

    int joint_count() const { return static_cast<int>(legs_.size()) - 1; }
    /// The table of one end: least times to every point of the pivot, and the way there.
    struct Table {
        std::vector<double> time;
        std::vector<std::vector<std::int32_t>> before;  ///< per joint between the end and the pivot
    };
    Table from_source(Vec3 place) const;
    Table from_receiver(Vec3 place) const;
    /// Starts of one pair: minima first, in the order of their times, then the others. At most
    /// `most` of either.
    std::vector<PathStart> starts(const Table& source, const Table& receiver, int most) const;

  private:
    double chord_time(const Leg& leg, Vec3 a, Vec3 b) const;
    Vec3 place_of(int joint, std::size_t point) const {
        return places_[static_cast<std::size_t>(joint)][point];
    }

    const LayeredMedium& medium_;
    Legs legs_;
    Lattice lattice_;
    /// Per leg, in 3-D: one slowness for the whole layer, since there are many points.
    std::vector<double> mean_;
    int pivot_ = 0;
    std::vector<std::vector<Vec3>> places_;    ///< per joint
    std::vector<std::vector<float>> between_;  ///< per leg between two joints: [from][to]
};

}  // namespace fermat
