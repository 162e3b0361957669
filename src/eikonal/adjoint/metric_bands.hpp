#pragma once

#include <cstddef>
#include <cstdint>

#include "core/atomic.hpp"
#include "core/host_device.hpp"
#include "eikonal/adjoint/metric_node.hpp"

namespace fermat {

/// The fields of metric_adjoint.hpp on a device: nodes are relaxed in bands of time, of which a
/// window is open at a time. A pass has two phases with a barrier after each: nodes of the window
/// whose neighbours have changed find their new value, then they take it and wake the nodes that
/// may read it. So every node sees the values of the pass before, and the bits depend on no order
/// of lanes. The window begins at the first band that has a woken node. The adjoint goes through
/// the same bands backward: it is gathered, each node asking the neighbours that read it.

/// Nodes that have an equation, by the band of their time.
struct MetricBands {
    static constexpr int no_band = 0xffff;
    static constexpr int most = 16384;

    int count = 0;
    const std::uint32_t* nodes = nullptr;
    const std::uint32_t* begin = nullptr;  ///< of each band in `nodes`, and the end
    const std::uint16_t* band = nullptr;   ///< per node of the grid, no_band without equation

    /// About two per step of the grid along a ray.
    static int count_for(Shape shape) {
        const int sum = shape.x + shape.y + shape.z;
        return sum < most ? sum : most;
    }
    /// Of a node whose time is a share of the latest of all.
    FERMAT_HD static int of(double share, int count) {
        const auto band = static_cast<int>(share * count);
        return band < 0 ? 0 : band < count ? band : count - 1;
    }
};

/// The numbers of relaxed nodes; each phase writes only its own node's, but for `stale`.
struct MetricMarks {
    unsigned char* stale;  ///< whether a neighbour has changed; several lanes write the same 1
    unsigned char* fresh;  ///< whether `next` is to be taken
    std::uint16_t* visits;
    double* next;
    unsigned* least;  ///< the first band woken in a pass, for three passes in turn
};

namespace detail {

/// Calls visit(node) for the neighbours one and two steps along each axis.
template <class Visit>
FERMAT_HD void for_each_reader(const MetricNodes& nodes, std::size_t n, Visit visit) {
    const Index3 at = nodes.index_of(n);
    for (int axis = 0; axis < 3; ++axis) {
        const std::ptrdiff_t stride = nodes.stride(axis);
        for (int steps = -2; steps <= 2; ++steps) {
            const int place = at[axis] + steps;
            if (steps == 0 || place < 0 || place >= nodes.shape[axis]) continue;
            visit(static_cast<std::size_t>(static_cast<std::ptrdiff_t>(n) + steps * stride));
        }
    }
}

}  // namespace detail

/// Carries tau on until every node solves its equation to rounding.
struct MetricForward {
    static constexpr int width = 16;        ///< of the window
    static constexpr int free_visits = 64;  ///< then nodes keep the neighbours that they read
    static constexpr int most_visits = 2000;
    static constexpr double settled = 1e-15;  ///< of a tau

    MetricNodes nodes;
    MetricSource source;
    MetricBands bands;
    MetricMarks marks;
    double* tau;
    unsigned char* branch;  ///< OctantBranch::packed()

    /// Bands in the order in which the window goes through them.
    FERMAT_HD int first_band(int low, int) const { return low; }
    FERMAT_HD int place_of(int band) const { return band; }

    FERMAT_HD void find(std::uint32_t n) const {
        if (marks.stale[n] == 0) return;
        marks.stale[n] = 0;
        const OctantBranch held = OctantBranch::unpacked(branch[n]);
        const bool free = marks.visits[n] < free_visits;
        if (marks.visits[n] < most_visits) ++marks.visits[n];
        const OctantSolution found =
            solve_metric_node(nodes, source, tau, nodes.index_of(n), free ? nullptr : &held).octant;
        if (!is_solved(found)) return;
        marks.next[n] = found.tau;
        branch[n] = found.branch.packed();
        marks.fresh[n] = 1;
    }
    template <class Wake>
    FERMAT_HD void take(std::uint32_t n, Wake wake) const {
        if (marks.fresh[n] == 0) return;
        marks.fresh[n] = 0;
        const double before = tau[n];
        const double now = marks.next[n];
        // Even the smallest changes are stored: dropped changes would add up along a ray.
        tau[n] = now;
        if (!(std::abs(now - before) > settled * now) || marks.visits[n] >= most_visits) return;
        detail::for_each_reader(nodes, n, wake);
    }
};

/// What a node's tau hangs on, of its neighbours: `pull` per axis (OctantSolution::pull), 0 where
/// its equation has no solution. Returns whether its tau solves the equation.
FERMAT_HD inline bool weigh_metric_node(const MetricForward& field, std::uint32_t n,
                                        double* const (&pull)[3]) {
    constexpr double unsettled_change = 1e-9;
    const OctantBranch held = OctantBranch::unpacked(field.branch[n]);
    const OctantSolution found =
        solve_metric_node(field.nodes, field.source, field.tau, field.nodes.index_of(n), &held)
            .octant;
    const bool solved = is_solved(found);
    for (int axis = 0; axis < 3; ++axis) pull[axis][n] = solved ? found.pull(axis) : 0;
    return solved && std::abs(found.tau - field.tau[n]) <= unsettled_change * found.tau;
}

/// dJ/dtau of nodes from what J asks of them and what they hand on to one another.
struct MetricBackward {
    static constexpr int width = 32;  ///< of the window
    static constexpr int most_visits = 2000;
    static constexpr double settled = 1e-15;  ///< of the parts of a node's value
    /// Of marks.fresh: `next` is to be taken, and others are to know of it.
    static constexpr unsigned char takes = 1;
    static constexpr unsigned char changes = 2;

    MetricNodes nodes;
    MetricBands bands;
    MetricMarks marks;
    const unsigned char* branch;
    const double* pull[3];
    const double* asked;
    double* by_tau;

    FERMAT_HD int first_band(int, int high) const { return bands.count - high; }
    FERMAT_HD int place_of(int band) const { return bands.count - 1 - band; }

    /// What J asks of a node, and those that read it, in the order of the neighbours; and the sum
    /// of the sizes of its parts, of which its rounding is a share.
    struct Gathered {
        double sum = 0;
        double size = 0;
    };
    FERMAT_HD Gathered gathered(std::size_t n) const {
        const Index3 at = nodes.index_of(n);
        Gathered out{asked[n], std::abs(asked[n])};
        for (int axis = 0; axis < 3; ++axis) {
            const std::ptrdiff_t stride = nodes.stride(axis);
            for (int steps = -2; steps <= 2; ++steps) {
                const int place = at[axis] + steps;
                if (steps == 0 || place < 0 || place >= nodes.shape[axis]) continue;
                const auto reader =
                    static_cast<std::size_t>(static_cast<std::ptrdiff_t>(n) + steps * stride);
                if (bands.band[reader] == MetricBands::no_band) continue;
                const unsigned bits = branch[reader];
                const bool from_low = (bits >> axis & 1U) != 0;
                const bool second = (bits >> (3 + axis) & 1U) != 0;
                if (from_low != (steps > 0)) continue;
                const bool is_near = steps == 1 || steps == -1;
                if (!is_near && !second) continue;
                const double weight = is_near ? (second ? 2 : 1) : -0.5;
                const double part = weight * pull[axis][reader] * by_tau[reader];
                out.sum += part;
                out.size += std::abs(part);
            }
        }
        return out;
    }
    FERMAT_HD void find(std::uint32_t n) const {
        if (marks.stale[n] == 0) return;
        marks.stale[n] = 0;
        if (marks.visits[n] < most_visits) ++marks.visits[n];
        const Gathered found = gathered(n);
        marks.next[n] = found.sum;
        const bool changed = std::abs(found.sum - by_tau[n]) > settled * found.size;
        marks.fresh[n] = changed ? changes : takes;
    }
    template <class Wake>
    FERMAT_HD void take(std::uint32_t n, Wake wake) const {
        if (marks.fresh[n] == 0) return;
        const bool changed = marks.fresh[n] == changes;
        marks.fresh[n] = 0;
        by_tau[n] = marks.next[n];
        if (!changed || marks.visits[n] >= most_visits) return;
        for (int axis = 0; axis < 3; ++axis) {
            if (pull[axis][n] == 0) continue;
            const bool from_low = (branch[n] >> axis & 1U) != 0;
            const std::ptrdiff_t step = from_low ? -nodes.stride(axis) : nodes.stride(axis);
            wake(static_cast<std::size_t>(static_cast<std::ptrdiff_t>(n) + step));
            if ((branch[n] >> (3 + axis) & 1U) == 0) continue;
            wake(static_cast<std::size_t>(static_cast<std::ptrdiff_t>(n) + 2 * step));
        }
    }
};

/// Runs passes until no node is stale and returns their number, or `most` if they do not end.
/// `marks.least` holds bands.count three times at first. A Block runs phases over all lanes of a
/// device (GridBlock) or one lane after the other (HostBlock).
template <class Block, class Task>
FERMAT_HD int relax_in_bands(const Block& block, const Task& task, int most) {
    const MetricBands& bands = task.bands;
    const MetricMarks& marks = task.marks;
    int low = 0;
    int pass = 0;
    for (; low < bands.count && pass < most; ++pass) {
        const int high = low + Task::width < bands.count ? low + Task::width : bands.count;
        const int first_band = task.first_band(low, high);
        const std::uint32_t first = bands.begin[first_band];
        const auto open = static_cast<int>(bands.begin[first_band + high - low] - first);
        unsigned& least = marks.least[pass % 3];
        unsigned& next_least = marks.least[(pass + 1) % 3];
        // One lane more: an open window may be empty.
        block.for_each(open + 1, [&](int lane) {
            if (lane == open) {
                next_least = static_cast<unsigned>(bands.count);
            } else {
                task.find(bands.nodes[first + static_cast<std::uint32_t>(lane)]);
            }
        });
        block.for_each(open, [&](int lane) {
            task.take(bands.nodes[first + static_cast<std::uint32_t>(lane)], [&](std::size_t n) {
                if (bands.band[n] == MetricBands::no_band) return;
                marks.stale[n] = 1;
                const auto place = static_cast<unsigned>(task.place_of(bands.band[n]));
                if (place < read_fresh(least)) atomic_least(least, place);
            });
        });
        const auto woken = static_cast<int>(read_fresh(least));
        low = woken < high ? woken : high;
    }
    return pass;
}

}  // namespace fermat
