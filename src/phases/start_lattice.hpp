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
    std::uint64_t held = 0;      ///< the joints along which it is none, one bit each
    bool bounce = false;         ///< whether they are bounces (StartLattice)
};

/// The joints of legs at the surface, below it, with waves that turn on both sides.
std::vector<int> bounces_of(const Legs& legs);

/// Times along straight legs between points of coarse lattices on the interfaces of one list of
/// legs: they tell where to look for stationary paths. The legs up to the *pivot*, the middle
/// reflection, are found by the least time from the source (Bellman), those after it by the least
/// time from the receiver; over the pivot's lattice every stationary point of their sum is a start.
/// Where the middle is one of two joints both are pivots, so that a path and its reverse have the
/// same starts.
///
/// Where waves turn on both sides of a reflection below the surface (PP, SS), their times are
/// concave functions of distance and the sum is a maximum along the path, flatter than the errors
/// of straight legs. The starts of such *bounces* are parts of the way from source to receiver: in
/// an Earth of depth alone equal parts are right.
class StartLattice {
  public:
    /// `points`: of a lattice along x; along y as many in proportion. All places are Cartesian.
    StartLattice(const LayeredMedium& medium, const Legs& legs);

    int joint_count() const { return static_cast<int>(legs_.size()) - 1; }
    /// Whether starts are those of bounces.
    bool has_bounces() const { return !bounces_.empty(); }
    /// The table of one end: least times to every point of the pivots, and the way there. Where
    /// there are bounces, the pivot of the source is the first of them, that of the receiver the
    /// last.
    struct Table {
        std::vector<double> time;                       ///< to the pivot that is farther away
        std::vector<double> nearer;                     ///< to the nearer of two; else empty
        std::vector<std::vector<std::int32_t>> before;  ///< per joint between the end and the pivot
    };
    Table from_source(Vec3 place) const;
    Table from_receiver(Vec3 place) const;
    /// Starts of one pair: minima first, in the order of their times, then the others. At most
    /// `most` of either.
    std::vector<PathStart> starts(const Table& source, const Table& receiver, int most) const;
    /// Starts of a pair whose path bounces; ends are Cartesian places.
    std::vector<PathStart> bounce_starts(const Table& source, const Table& receiver, Vec3 from,
                                         Vec3 to) const;

    /// What of it a device needs.
    const Lattice& lattice() const { return lattice_; }
    int pivot() const { return pivot_; }
    /// Places of the pivot's points, and the slowness of the legs before and after it, where there
    /// is one joint and a slowness per leg.
    const std::vector<Vec3>& pivot_places() const {
        return places_[static_cast<std::size_t>(pivot_)];
    }
    const std::vector<double>& slowness_of_legs() const { return mean_; }

  private:
    double chord_time(const Leg& leg, Vec3 a, Vec3 b) const;
    /// Along straight legs from a place to the points of a joint's lattice.
    std::vector<double> times_from(Vec3 place, int joint, const Leg& leg) const;
    /// Which points of the lattices before (after) a pivot's point lead there, into `points`.
    void trace_back(const Table& source, int pivot, std::vector<int>& points) const;
    void trace_on(const Table& receiver, int pivot, std::vector<int>& points) const;
    void trace_between(int first, int last, std::vector<int>& points) const;
    PathStart start_at(const std::vector<int>& points, double time) const;
    int nearest_point(double x, double y) const;
    Vec3 place_of(int joint, std::size_t point) const {
        return places_[static_cast<std::size_t>(joint)][point];
    }

    const LayeredMedium& medium_;
    Legs legs_;
    Lattice lattice_;
    /// Per leg, in 3-D: one slowness for the whole layer, since there are many points.
    std::vector<double> mean_;
    int pivot_ = 0;
    int last_pivot_ = 0;  ///< the same where one joint is in the middle
    std::vector<int> bounces_;
    std::vector<std::vector<Vec3>> places_;    ///< per joint
    std::vector<std::vector<float>> between_;  ///< per leg between two joints: [from][to]
};

}  // namespace fermat
