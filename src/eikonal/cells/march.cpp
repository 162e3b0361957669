#include "eikonal/cells/march.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/error.hpp"
#include "eikonal/cells/face.hpp"
#include "eikonal/fmm/queue.hpp"
#include "eikonal/node_update.hpp"

namespace fermat {
namespace {

template <class Real, int Dim>
class CellMarch {
  public:
    CellMarch(const Model& model, const FactoredSource& source, int order)
        : order_(order),
          nodes_(model.grid().shape),
          corner_steps_(find_corner_steps()),
          cells_(model.jumping_cells().velocity),
          source_slowness_(source.slowness),
          tau_(nodes_.count(), unreached<Real>),
          time_(nodes_.count(), unreached<Real>),
          ways_(nodes_.count(), by_corner),
          states_(nodes_.count(), State::open),
          queue_(take_slowness() / 8) {
        factored_ = !source.is_front();
        factor_ = node_factor(model.grid(), source);
        // Faces need true coordinates. For a front, whose factor has none, they count from the
        // first node.
        for (int axis = 0; axis < 3; ++axis) factor_.step[axis] = factor_.spacing[axis];
        until_ = source.until / (source.slowness * smallest_spacing(model.grid()));
        for (const StartNode& start : source.starts) {
            const std::size_t node = nodes_.offset(start.node);
            tau_[node] = static_cast<Real>(start.tau);
            states_[node] = State::start;
            time_[node] = static_cast<Real>(start.tau * radius(place(start.node)));
            queue_.push({static_cast<float>(time_[node]), static_cast<std::uint32_t>(node)});
        }
    }

    void run(Monitor& monitor) {
        std::uint32_t turn = 0;
        MarchItem first;
        const auto is_settled = [this](MarchItem item) {
            return states_[item.node()] == State::settled;
        };
        while (queue_.pop(first, is_settled)) {
            constexpr std::uint32_t turns_between_checks = 1 << 12;
            if (++turn % turns_between_checks == 0) monitor.check();
            State& state = states_[first.node()];
            if (state == State::settled || state == State::done) continue;
            // A node that is computed again when its turn comes may become slightly earlier.
            if (first.time() > 1.01 * until_ + 1) break;
            const Index3 node = node_at(first.node());
            if (state == State::open) improve(node, first.node());
            state = state == State::start ? State::done : State::settled;
            pass_on(node);
        }
    }

    void copy_to(FieldView<Real> tau) const { copy_from_rimmed(nodes_, tau_, tau); }

  private:
    enum class State : std::uint8_t {
        open,     ///< not yet settled
        again,    ///< was settled and has become earlier since
        settled,  ///< faces may use it
        start,    ///< given, not yet passed on
        done,     ///< given, and passed on
    };
    /// A corner of a cell. Bit d is set at the upper end of axis d.
    using Corner = unsigned;
    static constexpr Corner all_axes = Dim == 2 ? 5 : 7;
    static constexpr auto corners = [] {
        std::array<Corner, 1 << Dim> list{};
        std::size_t count = 0;
        for (Corner corner = 0; corner < 8; ++corner) {
            if ((corner & ~all_axes) == 0) list[count++] = corner;
        }
        return list;
    }();
    /// How a node got its time: by its corner of the cell and the axis normal to the face through
    /// which the wave came, or from a corner of the cell.
    using Way = std::uint8_t;
    static constexpr Way by_corner = 255;
    /// The least gain that changes the time of a node, in units of the time across the smallest
    /// spacing. The times of start nodes are more accurate than those of the march, unless the wave
    /// took a detour outside their box.
    static double least_gain(State state) {
        const bool given = state == State::start || state == State::done;
        return given ? 0.3 : state == State::settled ? 1e-3 : 0;
    }

    /// What the faces of a cell need to know about it.
    struct CellSight {
        std::size_t first;   ///< its first corner in memory
        double slowness[8];  ///< at its corners, on the inside
    };

    bool is_settled(std::size_t node) const {
        return states_[node] == State::settled || states_[node] == State::done;
    }

    /// Stores the slownesses of cells relative to that at the source, with a rim of air. Returns
    /// their mean.
    double take_slowness() {
        const Shape shape = cells_.shape();
        stride_[2] = 1;
        stride_[1] = shape.z + 2;
        stride_[0] = stride_[1] * (Dim == 2 ? 1 : shape.y + 2);
        varied_.assign(shape.count(), 0);
        slowness_.assign(static_cast<std::size_t>(stride_[0] * (shape.x + 2)), 0.0F);
        double sum = 0;
        std::size_t count = 0;
        for (int i = 0; i < shape.x; ++i) {
            for (int j = 0; j < shape.y; ++j) {
                for (int k = 0; k < shape.z; ++k) {
                    const double v = cells_(i, j, k);
                    if (!(v > 0)) continue;
                    const double s = 1 / (v * source_slowness_);
                    slowness_[cell_offset({i, j, k})] = static_cast<float>(s);
                    varied_[shape.offset(i, j, k)] = is_varied({i, j, k});
                    sum += s;
                    ++count;
                }
            }
        }
        find_head_waves();
        return sum / static_cast<double>(count);
    }
    /// Marks the cells that are faster than a neighbour: head waves may start on their edges.
    void find_head_waves() {
        has_head_waves_.assign(cells_.shape().count(), 0);
        const Shape shape = cells_.shape();
        for (int i = 0; i < shape.x; ++i) {
            for (int j = 0; j < shape.y; ++j) {
                for (int k = 0; k < shape.z; ++k) {
                    const std::size_t cell = cell_offset({i, j, k});
                    bool slower = false;
                    for (int axis = 0; axis < 3; axis += Dim == 2 ? 2 : 1) {
                        const auto step = static_cast<std::size_t>(cell_step(axis));
                        slower |= is_slower(slowness_[cell - step], slowness_[cell]) ||
                                  is_slower(slowness_[cell + step], slowness_[cell]);
                    }
                    has_head_waves_[shape.offset(i, j, k)] = slower;
                }
            }
        }
    }
    static bool is_slower(float slowness, float than) {
        constexpr float least_contrast = 0.02F;
        return than > 0 && slowness > (1 + least_contrast) * than;
    }
    /// Whether velocity varies inside a cell: some neighbour has another velocity, and velocity
    /// changes smoothly towards all neighbours.
    bool is_varied(Index3 cell) const {
        bool varied = false;
        for (int axis = 0; axis < 3; ++axis) {
            for (const int step : {-1, 1}) {
                Index3 next = cell;
                next[axis] += step;
                if (next[axis] < 0 || next[axis] >= cells_.shape()[axis]) continue;
                if (cells_(next) == cells_(cell)) continue;
                if (!of_one_body(cells_, cell, axis, step)) return false;
                varied = true;
            }
        }
        return varied;
    }
    std::size_t cell_offset(Index3 c) const {
        return static_cast<std::size_t>((c.x + 1) * stride_[0] +
                                        (Dim == 2 ? 0 : (c.y + 1) * stride_[1]) + c.z + 1);
    }
    std::ptrdiff_t cell_step(int axis) const { return stride_[axis]; }

    Vec3 place(Index3 n) const {
        return {factor_.coordinate(0, n.x), Dim == 2 ? 0 : factor_.coordinate(1, n.y),
                factor_.coordinate(2, n.z)};
    }
    /// r = T0/s0 at a place.
    double radius(Vec3 place) const { return factored_ ? norm(place) : std::sqrt(factor_.far2); }
    Index3 node_at(std::size_t offset) const {
        const auto at = static_cast<std::ptrdiff_t>(offset);
        constexpr int rim = RimmedShape::rim;
        return {static_cast<int>(at / nodes_.stride(0)) - rim,
                Dim == 2 ? 0 : static_cast<int>(at % nodes_.stride(0) / nodes_.stride(1)) - rim,
                static_cast<int>(at % nodes_.stride(1)) - rim};
    }
    /// The node at a corner of a cell, and its offset in memory from that of the first corner.
    static Index3 corner_node(Index3 cell, Corner corner) {
        return {cell.x + static_cast<int>(corner & 1U), cell.y + static_cast<int>(corner >> 1 & 1U),
                cell.z + static_cast<int>(corner >> 2)};
    }
    std::size_t corner_offset(std::size_t first, Corner corner) const {
        return first + corner_steps_[corner];
    }
    std::array<std::size_t, 8> find_corner_steps() const {
        std::array<std::size_t, 8> steps{};
        for (Corner corner = 0; corner < 8; ++corner) {
            for (int axis = 0; axis < 3; ++axis) {
                if (corner >> axis & 1U) {
                    steps[corner] += static_cast<std::size_t>(nodes_.stride(axis));
                }
            }
        }
        return steps;
    }

    void pass_on(Index3 n) {
        const double time = time_[nodes_.offset(n)];
        for (const Corner corner : corners) {
            const Index3 cell = cell_with(n, corner);
            if (slowness_[cell_offset(cell)] > 0 && has_later_corner(nodes_.offset(cell), time)) {
                pass_through(cell, corner, time);
            }
        }
    }
    /// Whether some corner of the cell is later than `time`.
    bool has_later_corner(std::size_t first, double time) const {
        bool later = false;
        for (const Corner corner : corners) later |= time < time_[corner_offset(first, corner)];
        return later;
    }
    /// The cell that has node n as this corner.
    static Index3 cell_with(Index3 n, Corner corner) {
        for (int axis = 0; axis < 3; ++axis) n[axis] -= static_cast<int>(corner >> axis & 1U);
        return n;
    }

    void pass_through(Index3 cell, Corner from, double time) {
        const CellSight sight = look_into(cell);
        const Vec3 start = place(corner_node(cell, from));
        const bool head_waves = factored_ && has_head_waves_[cells_.shape().offset(cell)] != 0;
        for (const Corner to : corners) {
            if (to == from) continue;
            const std::size_t node = corner_offset(sight.first, to);
            const double old = time_[node];
            if (!(time < old)) continue;
            const Vec3 point = place(corner_node(cell, to));
            const double s = 0.5 * (sight.slowness[from] + sight.slowness[to]);
            double best = time + s * norm(point - start);
            Way way = by_corner;
            for (int axis = 0; axis < 3; ++axis) {
                if (!((from ^ to) >> axis & 1U)) continue;
                const double found =
                    through_face(cell, sight, axis, to, point, std::min(best, old));
                if (!(found < best)) continue;
                best = found;
                way = static_cast<Way>(to << 2 | static_cast<unsigned>(axis));
            }
            if (head_waves) {
                const double along = along_interface(cell, sight, from, to, point);
                if (along < best) {
                    best = along;
                    way = by_corner;
                }
            }
            if (!(best < old - least_gain(states_[node]) * s)) continue;
            set(node, point, best);
            ways_[node] = way;
            if (states_[node] != State::open) states_[node] = State::again;
            queue_.push({static_cast<float>(best), static_cast<std::uint32_t>(node)});
        }
    }
    /// T at the corner `to` by a wave that comes along the edge from the corner `from`, in a cell
    /// that is faster than one of its neighbours at this edge. Where the wave in the slower cell
    /// meets the interface at the critical angle, such a head wave starts between the two nodes.
    /// Infinite if `to` does not have the time of the wave in the slower cell.
    double along_interface(Index3 cell, const CellSight& sight, Corner from, Corner to,
                           Vec3 point) const {
        const Corner moved = from ^ to;
        const std::size_t start = corner_offset(sight.first, from);
        const std::size_t end = corner_offset(sight.first, to);
        if (!std::has_single_bit(moved) || states_[end] != State::open) return INFINITY;
        const double s = sight.slowness[to];
        const int axis = std::countr_zero(moved);
        // The cell beside the edge through which the wave came to `to`.
        float beside = 0;
        for (int other = 0; other < 3; ++other) {
            if (other == axis || !(all_axes >> other & 1U)) continue;
            if (ways_[end] == by_corner || ways_[end] >> 2 != (to ^ 1U << other)) continue;
            const std::ptrdiff_t step = from >> other & 1U ? cell_step(other) : -cell_step(other);
            beside = slowness_[cell_offset(cell) + static_cast<std::size_t>(step)];
        }
        const float here = slowness_[cell_offset(cell)];
        if (!is_slower(beside, here) || !(tau_[end] < late_wave * beside)) return INFINITY;
        const bool up = (to >> axis & 1U) != 0;
        CellFace<2> edge;
        edge.axis[0] = axis;
        edge.length[0] = factor_.spacing[axis];
        edge.first = place(corner_node(cell, from & to));
        edge.value[up ? 0 : 1] = tau_[start];
        edge.value[up ? 1 : 0] = tau_[end];
        std::fill_n(edge.slowness, CellFace<2>::corners, s);
        double at[2] = {0.5, 0};
        return earliest_through(edge, point, at);
    }
    void set(std::size_t node, Vec3 point, double time) {
        time_[node] = static_cast<Real>(time);
        tau_[node] = static_cast<Real>(time / radius(point));
    }

    /// Computes the time of a node again when its turn comes, by the face through which the wave
    /// came: more times on that face are known now.
    void improve(Index3 n, std::size_t here) {
        if (order_ == 1 || ways_[here] == by_corner) return;
        const Corner to = ways_[here] >> 2;
        const Vec3 point = place(n);
        const Index3 cell = cell_with(n, to);
        const double time =
            through_face(cell, look_into(cell), ways_[here] & 3, to, point, INFINITY);
        if (time < INFINITY) set(here, point, time);
    }

    CellSight look_into(Index3 cell) const {
        CellSight sight{nodes_.offset(cell), {}};
        std::fill_n(sight.slowness, 8, static_cast<double>(slowness_[cell_offset(cell)]));
        if (!varied_[cells_.shape().offset(cell)]) return sight;
        for (const Corner corner : corners) {
            const Corner inward = ~corner & all_axes;
            const float seen = octant_velocity<Dim>(cells_, corner_node(cell, corner), inward);
            sight.slowness[corner] = 1 / (seen * source_slowness_);
        }
        return sight;
    }

    /// T at the corner `to` through the face normal to `axis` that does not contain it. Skips the
    /// computation if T cannot be below `limit`.
    double through_face(Index3 cell, const CellSight& sight, int axis, Corner to, Vec3 point,
                        double limit) const {
        const Corner side = ~to & 1U << axis;
        std::size_t offset[4] = {};
        for (unsigned n = 0; n < CellFace<Dim>::corners; ++n) {
            offset[n] = corner_offset(sight.first, side | spread(axis, n));
            if (!is_settled(offset[n])) return INFINITY;
        }
        CellFace<Dim> face;
        double time[4] = {};
        double earliest = INFINITY;
        double latest_tau = 0;
        const double s = sight.slowness[to];
        for (unsigned n = 0; n < CellFace<Dim>::corners; ++n) {
            face.slowness[n] = 0.5 * (sight.slowness[side | spread(axis, n)] + s);
            face.value[n] = tau_[offset[n]];
            time[n] = time_[offset[n]];
            earliest = std::min(earliest, time[n]);
            latest_tau = std::max(latest_tau, face.value[n]);
        }
        if (earliest + 0.8 * s * factor_.spacing[axis] >= limit) return INFINITY;
        int d = 0;
        for (int other = 0; other < 3; ++other) {
            if (other == axis || !(all_axes >> other & 1U)) continue;
            face.axis[d] = other;
            face.length[d] = factor_.spacing[other];
            ++d;
        }
        face.first = place(corner_node(cell, side));
        face.factored = factored_ && latest_tau < late_wave * s;
        if (!face.factored) std::copy_n(time, CellFace<Dim>::corners, face.value);
        if (order_ == 2) bend(cell, axis, side, offset, face);
        double at[2];
        guess(face, time, to, s, factor_.spacing[axis], at);
        return earliest_through(face, point, at);
    }
    /// Corner n of the faces normal to an axis, on their lower side.
    static Corner spread(int axis, unsigned n) {
        if constexpr (Dim == 2) return n << (axis == 0 ? 2 : 0);
        const unsigned low = axis == 0 ? 1 : 0;
        const unsigned high = axis == 2 ? 1 : 2;
        return (n & 1U) << low | n >> 1 << high;
    }

    /// The place where a plane wave with the mean slopes of the face would cross it.
    static void guess(const CellFace<Dim>& face, const double (&time)[4], Corner to, double s,
                      double depth, double (&at)[2]) {
        double slope[2] = {};
        double across2 = s * s;
        for (int d = 0; d < Dim - 1; ++d) {
            for (unsigned n = 0; n < CellFace<Dim>::corners; ++n) {
                slope[d] += n >> d & 1U ? time[n] : -time[n];
            }
            slope[d] /= CellFace<Dim>::corners / 2 * face.length[d];
            across2 -= slope[d] * slope[d];
        }
        const double steepest = 0.01 * s * s;
        const double across = std::sqrt(std::max(across2, steepest));
        for (int d = 0; d < Dim - 1; ++d) {
            const double opposite = to >> face.axis[d] & 1U;
            at[d] = std::clamp(opposite - depth * slope[d] / (across * face.length[d]), 0.0, 1.0);
        }
    }

    /// Second differences along the axes of a face. They use the nodes next to the face where the
    /// cells on both sides of it continue with nearly the same velocity.
    void bend(Index3 cell, int axis, Corner side, const std::size_t (&offset)[4],
              CellFace<Dim>& face) const {
        const std::size_t in = cell_offset(cell);
        const std::size_t out =
            in + static_cast<std::size_t>(side ? cell_step(axis) : -cell_step(axis));
        for (int d = 0; d < Dim - 1; ++d) {
            const int along = face.axis[d];
            const unsigned bit = 1U << d;
            double sum = 0;
            int sides = 0;
            double rise = 0;
            double size = 0;
            for (const bool at_low : {true, false}) {
                const std::ptrdiff_t cell_back = at_low ? -cell_step(along) : cell_step(along);
                if (!goes_on(in, cell_back) || !goes_on(out, cell_back)) continue;
                const std::ptrdiff_t back = at_low ? -nodes_.stride(along) : nodes_.stride(along);
                double curve = 0;
                bool known = true;
                for (unsigned n = 0; n < CellFace<Dim>::corners; ++n) {
                    if (((n & bit) == 0) != at_low) continue;
                    const std::size_t behind = offset[n] + static_cast<std::size_t>(back);
                    known &= is_settled(behind);
                    if (!known) break;
                    const double there = face.factored ? tau_[behind] : time_[behind];
                    curve += there - 2 * face.value[n] + face.value[n ^ bit];
                }
                if (!known) continue;
                sum += curve;
                ++sides;
            }
            if (sides == 0) continue;
            for (unsigned n = 0; n < CellFace<Dim>::corners; n += 1) {
                if (n & bit) continue;
                rise += std::abs(face.value[n ^ bit] - face.value[n]);
                size += face.value[n];
            }
            constexpr double share = 1.0 / (CellFace<Dim>::corners / 2);
            const double most = share * (0.5 * rise + (face.factored ? 0.02 * size : 0));
            face.bend[d] = std::clamp(share * sum / sides, -most, most);
        }
    }
    bool goes_on(std::size_t cell, std::ptrdiff_t step) const {
        const float a = slowness_[cell];
        const float b = slowness_[cell + static_cast<std::size_t>(step)];
        return std::abs(a - b) <= 0.02F * a;
    }

    int order_;
    RimmedShape nodes_;
    std::array<std::size_t, 8> corner_steps_;
    FieldView<const float> cells_;
    double source_slowness_;
    NodeFactor factor_;
    bool factored_ = true;     ///< false for a front
    double until_ = INFINITY;  ///< the largest T/s0 that the caller wants
    std::ptrdiff_t stride_[3] = {};
    std::vector<float> slowness_;
    std::vector<std::uint8_t> varied_;  ///< is_varied per cell
    std::vector<std::uint8_t> has_head_waves_;
    std::vector<Real> tau_;
    std::vector<Real> time_;
    std::vector<Way> ways_;
    std::vector<State> states_;
    MarchQueue queue_;
};

}  // namespace

template <class Real>
void march_through_cells(const Model& model, const FactoredSource& source, int order,
                         FieldView<Real> tau, Monitor& monitor) {
    const auto march = [&]<int Dim>() {
        CellMarch<Real, Dim> cells(model, source, order);
        cells.run(monitor);
        cells.copy_to(tau);
    };
    constexpr double most_nodes = 4.29e9;
    if (static_cast<double>(RimmedShape(model.grid().shape).count()) > most_nodes) {
        throw InputError(
            fmt::format("a model of {} nodes is too large for velocity in cells (must have fewer "
                        "than 4.2e9)",
                        model.grid().node_count()));
    }
    model.grid().is_2d() ? march.template operator()<2>() : march.template operator()<3>();
}

template void march_through_cells<float>(const Model&, const FactoredSource&, int, FieldView<float>,
                                         Monitor&);
template void march_through_cells<double>(const Model&, const FactoredSource&, int,
                                          FieldView<double>, Monitor&);

}  // namespace fermat
