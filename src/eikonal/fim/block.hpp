#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "eikonal/fim/problem.hpp"
#include "eikonal/fim/rules.hpp"
#include "eikonal/lanes.hpp"
#include "eikonal/stencil.hpp"

namespace fermat {

/// The result of visiting a block. For each face (2 * axis + side), `earliest` is the earliest
/// changed arrival, as T/s0, that may matter to the neighbour across that face; infinite if there
/// is none.
struct VisitOutcome {
    std::array<float, 6> earliest;
    bool settled = false;  ///< false if the limit on sweeps ended the visit
    int sweeps = 0;
};

/// Why a block must be visited, as a set of bits. The first six bits are the faces (2 * axis +
/// side) through which a wave comes.
enum VisitCause : unsigned {
    no_cause = 0,
    near_start = 1U << 6,  ///< the block contains a start node or reads one across a face
    unsettled = 1U << 7,   ///< its last visit ended before it settled
    first_visit = 1U << 8,
};
constexpr unsigned through_face(int axis, int side) { return 1U << (2 * axis + side); }

/// Whether a sweep accepts only earlier values, which is certain to end, or also later ones, which
/// second order needs.
enum class Accept { earlier, any };

/// Solves one block of nodes by Gauss-Seidel sweeps in cache.
///
/// Planes of the block are stored skewed: node (lane l, run r) is in row r + l. The nodes of a row
/// depend on other rows only, so vector instructions update a whole row at once, and rows in order
/// give a true Gauss-Seidel sweep in (lane, run). A plane has four sweep directions; lanes in
/// mirrored order give the other two.
///
/// A row is computed only if one of its nodes is stale, that is, if a value that its equation may
/// use has changed since. So only the first sweep computes the whole block, and a visit that
/// changes little costs little.
template <class Real, int Dim, int Order>
class FimBlock {
  public:
    /// The largest extents of a block. Its working set fits into a cache of 512 KiB.
    static constexpr int depth = Dim == 3 ? 16 : 1;
    static constexpr int width = Dim == 3 ? 16 : 32;
    static constexpr int length = Dim == 3 ? 48 : 64;

    static constexpr Real tolerance = fim_tolerance<Real, Order>;

    FimBlock()
        : tau_(planes * plane),
          f_(medium_size),
          inverse_r2_(medium_size),
          mine_(planes * row_slots),
          stale_(planes * row_slots) {}

    /// Solves the block from the present values of its neighbours and writes it back. `entry`
    /// guesses where the wave comes from: +1 for each axis along which it comes from the low side,
    /// else -1. For the outer axis, 0 means that the wave spreads from the planes next to the
    /// source, which lie in the block.
    VisitOutcome visit(const FimProblem<Real>& problem, const BlockExtent& extent,
                       std::array<int, 3> entry, unsigned causes, Accept accept);

  private:
    using V = Lanes<Real>;
    using Mask = decltype(V{} < V{});
    using Bits = std::uint32_t;  ///< of a row: one bit per lane

    static constexpr int halo = 2;
    static constexpr int rows = length + width - 1;
    static constexpr int row_slots = rows + 2 * halo;
    static constexpr int pitch = width + 2 * halo;
    /// Neighbouring planes must not lie 4 KiB apart: the processor would mistake a read from one
    /// for a read of what was just written to the other.
    static constexpr int plane = row_slots * pitch + 8;
    static constexpr int planes = Dim == 3 ? depth + 2 * halo : 1;
    static constexpr int first_plane = Dim == 3 ? halo : 0;
    static constexpr int first_axis = Dim == 3 ? 0 : 1;
    static constexpr int medium_size = depth * rows * width;
    static constexpr int most_sweeps = 32;
    static_assert(width <= 32 && width % lane_count<Real> == 0);

    /// Positions in storage: of tau, of f and 1/r^2 (only nodes of the block itself have these),
    /// and of the bits of a row.
    static int at(int o, int row, int lane) {
        return (o + first_plane) * plane + (row + halo) * pitch + lane + halo;
    }
    static int at_medium(int o, int row, int lane) { return (o * rows + row) * width + lane; }
    static std::size_t at_row(int o, int row) {
        return static_cast<std::size_t>((o + first_plane) * row_slots + row + halo);
    }
    int lane_of(int l) const { return mirrored_ ? lanes_ - 1 - l : l; }
    /// Position in storage of a node's tau, and the steps from it to the next node along each axis.
    int at_node(int o, int l, int r) const { return at(o, r + lane_of(l), lane_of(l)); }
    std::array<int, 3> steps() const {
        return {plane, mirrored_ ? -(pitch + 1) : pitch + 1, pitch};
    }
    static Bits shifted(Bits bits, int by) { return by > 0 ? bits << by : bits >> -by; }

    /// The number of rows that contain nodes of the block.
    int row_count(const BlockExtent& extent) const { return extent.size(2) + lanes_ - 1; }
    static int planes_below_source(const FimProblem<Real>& problem, const BlockExtent& extent) {
        int count = 0;
        while (problem.coordinate(0, extent.begin[0] + count) < 0) ++count;
        return count;
    }
    /// Whether the block holds no arrivals yet: this is its first visit, and no start node is near.
    static bool is_blank(unsigned causes) {
        return (causes & first_visit) != 0 && (causes & near_start) == 0;
    }

    /// Sets the used part of a plane of tau to `unreached`.
    void clear_plane(std::vector<Real>& values, int o, const BlockExtent& extent) const {
        std::fill_n(values.begin() + (o + first_plane) * plane,
                    (row_count(extent) + 2 * halo) * pitch, unreached<Real>);
    }
    void prefetch(const FimProblem<Real>& problem, const BlockExtent& extent) const;
    void load_tau(const FimProblem<Real>& problem, const BlockExtent& extent, bool blank);
    void load_medium(const FimProblem<Real>& problem, const BlockExtent& extent);
    void find_mine(const BlockExtent& extent);
    void hold_starts(const FimProblem<Real>& problem, const BlockExtent& extent);
    float earliest_through(const FimProblem<Real>& problem, const BlockExtent& extent, int axis,
                           int side, bool blank) const;
    void store_tau(const FimProblem<Real>& problem, const BlockExtent& extent) const;

    void mark_stale(const FimProblem<Real>& problem, const BlockExtent& extent, unsigned causes);
    void mark_round_starts(const FimProblem<Real>& problem, const BlockExtent& extent);
    void mark_at_face(const BlockExtent& extent, int axis, int side);
    void mark_node(std::array<int, 3> node) {
        const int lane = lane_of(node[1]);
        stale_[at_row(node[0], node[2] + lane)] |= Bits{1} << lane;
    }
    void mirror(const BlockExtent& extent);
    void mirror_tau(const BlockExtent& extent);
    void mirror_medium(const std::vector<Real>& values, std::vector<Real>& other,
                       const BlockExtent& extent);
    void mirror_stale(const BlockExtent& extent);

    /// Sweeps the block once. For each axis, returns the number of nodes that became early enough
    /// to change a neighbour swept before them. An outer sense of 0 means outwards from the planes
    /// next to the source.
    template <Accept accept>
    std::array<int, 3> sweep(const FimProblem<Real>& problem, const BlockExtent& extent,
                             int outer_sense, int row_sense);

    std::vector<Real> tau_;
    std::vector<Real> f_;           ///< s / T0; `unreached` at nodes that are not updated
    std::vector<Real> inverse_r2_;  ///< 1 / r^2
    std::vector<Bits> mine_;        ///< nodes to update: neither air, start nodes, halo nor corners
    std::vector<Bits> stale_;
    std::vector<Real> spare_;
    std::vector<Real> other_f_;  ///< with lanes in the other order
    std::vector<Real> other_inverse_r2_;
    bool has_other_medium_ = false;
    std::vector<Bits> spare_bits_;
    bool mirrored_ = false;
    int lanes_ = width;  ///< in use
};

template <class Real, int Dim, int Order>
VisitOutcome FimBlock<Real, Dim, Order>::visit(const FimProblem<Real>& problem,
                                               const BlockExtent& extent, std::array<int, 3> entry,
                                               unsigned causes, Accept accept) {
    mirrored_ = entry[1] != entry[2];
    lanes_ = extent.size(1);
    const bool blank = is_blank(causes);
    prefetch(problem, extent);
    load_tau(problem, extent, blank);
    load_medium(problem, extent);
    has_other_medium_ = false;
    mark_stale(problem, extent, causes);
    VisitOutcome outcome;
    int outer = entry[0];
    int row = entry[2];
    for (int turn = 0; turn < most_sweeps; ++turn) {
        const std::array<int, 3> lagging = accept == Accept::earlier
                                               ? sweep<Accept::earlier>(problem, extent, outer, row)
                                               : sweep<Accept::any>(problem, extent, outer, row);
        ++outcome.sweeps;
        const int most = *std::max_element(lagging.begin(), lagging.end());
        outcome.settled = most == 0;
        if (outcome.settled) break;
        // The next sweep reverses the axis along which most nodes lag behind.
        if (lagging[0] == most) {
            outer = outer == 0 ? 1 : -outer;
        } else {
            if (lagging[2] == most) row = -row;
            mirror(extent);
        }
    }
    outcome.earliest.fill(INFINITY);
    for (int axis = first_axis; axis < 3; ++axis) {
        for (int side = 0; side < 2; ++side) {
            outcome.earliest[2 * axis + side] =
                earliest_through(problem, extent, axis, side, blank);
        }
    }
    store_tau(problem, extent);
    return outcome;
}

}  // namespace fermat
