#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "eikonal/fim/rules.hpp"
#include "eikonal/fim/tile_halo.hpp"
#include "eikonal/lanes.hpp"
#include "eikonal/metric/jump_rows.hpp"
#include "eikonal/metric/kinks.hpp"
#include "eikonal/metric/metric_tile.hpp"
#include "eikonal/metric/node_numbers.hpp"

namespace fermat {

/// A visit of a tile of metric_tile.hpp on the CPU: a step's nodes in registers. The steps, the
/// stencil and the rules are those of the GPU.
class TileLanes {
  public:
    using V = Lanes<float>;
    typedef std::int32_t Ints __attribute__((vector_size(register_bytes)));
    using Tile = TileShape<3>;
    static constexpr int lanes = lane_count<float>;
    static constexpr int most_sweeps = 32;

    struct Outcome {
        std::array<float, 6> earliest;  ///< as VisitOutcome of `fim`
        bool settled = false;
        float change = 0;  ///< the greatest relative one
    };
    struct Task {
        std::array<int, 3> begin;  ///< the tile's first node; may lie before the grid
        SweepWay way;              ///< of the first sweep
        bool only_earlier = false;
        unsigned tell = 0;  ///< faces whose earliest arrival is told, changed or not
    };

    TileLanes(const NodeNumbers& numbers, double mean, float* tau, JumpSlopes& slopes)
        : numbers_(numbers), mean_of_all_(static_cast<float>(mean)), tau_(tau), jumps_(slopes) {}

    template <bool Full, int Order, bool ByNeighbours>
    Outcome visit(const Task& task);

  private:
    static constexpr int nodes = tile_nodes<3>;
    static constexpr int halo = 2;
    static constexpr int line = Tile::size(2) + 2 * halo;
    static constexpr int plane = line * (Tile::size(1) + 2 * halo);
    static constexpr int centre = halo * (plane + line + 1);

    static constexpr int place(int code) {
        return (code >> 6) * plane + (code >> 3 & 7) * line + (code & 7) + centre;
    }
    static Ints place(Ints code) {
        return (code >> 6) * plane + (code >> 3 & 7) * line + (code & 7) + centre;
    }
    static V gather(const float* from, Ints at) {
#if defined(__AVX512F__)
        return (V)_mm512_mask_i32gather_ps(_mm512_setzero_ps(), 0xFFFF, (__m512i)at, from, 4);
#else
        V out;
        for (int n = 0; n < lanes; ++n) out[n] = from[at[n]];
        return out;
#endif
    }

    void load(const Task& task);
    void store(const Task& task);
    /// Returns the axes along which a changed node may change one that was swept before it.
    template <bool Full, int Order, bool ByNeighbours>
    unsigned sweep(SweepWay way, bool only_earlier, Outcome& outcome);
    template <bool Full, int Order, bool ByNeighbours>
    unsigned update(Ints code, Ints present, SweepWay way, bool only_earlier, Outcome& outcome);
    template <bool Full, int Order>
    float earliest_through(const Task& task, int face, bool any) const;

    const float* number(NodeNumber which) const {
        return values_[static_cast<std::size_t>(which)].data();
    }

    const NodeNumbers& numbers_;
    float mean_of_all_;
    float* tau_;
    const TileSteps& steps_ = tile_steps<3>();
    std::array<std::array<float, nodes>, node_numbers> values_;  ///< except tau
    std::array<float, nodes> mean_;
    std::array<float, 12 * plane> times_;  ///< tau with the halo
    std::array<std::int32_t, nodes> moved_;
    JumpRows jumps_;
    TileKinks kinks_;
    bool has_kinks_ = false;
    bool has_jumps_ = false;
};

inline void TileLanes::load(const Task& task) {
    const Shape shape = numbers_.shape;
    has_jumps_ = jumps_.load(numbers_, task.begin);
    has_kinks_ = numbers_.full() && kinks_.load(numbers_, task.begin);
    times_.fill(unreached<float>);
    moved_.fill(0);
    const auto clip = [&](int axis, int extra) {
        return std::pair{std::max(-extra, -task.begin[static_cast<std::size_t>(axis)]),
                         std::min(Tile::size(axis) + extra,
                                  shape[axis] - task.begin[static_cast<std::size_t>(axis)])};
    };
    const auto row = [&](int o, int l) {
        return (static_cast<std::ptrdiff_t>(task.begin[0] + o) * shape.y + task.begin[1] + l) *
                   shape.z +
               task.begin[2];
    };
    // Whole rows have a length that the compiler knows; a call would cost more than the copy.
    const auto copy_row = [](const float* from, float* to, std::pair<int, int> r) {
        if (r == std::pair{0, Tile::size(2)}) {
            std::memcpy(to, from, sizeof(float) * Tile::size(2));
        } else if (r == std::pair{-halo, Tile::size(2) + halo}) {
            std::memcpy(to - halo, from - halo, sizeof(float) * line);
        } else {
            for (int n = r.first; n < r.second; ++n) to[n] = from[n];
        }
    };
    const auto copy_tau = [&](int o, int l, std::pair<int, int> r) {
        copy_row(tau_ + row(o, l), times_.data() + centre + o * plane + l * line, r);
    };
    const auto outer = clip(0, halo);
    const auto middle = clip(1, halo);
    const auto inner = clip(2, halo);
    const auto own_o = clip(0, 0);
    const auto own_l = clip(1, 0);
    const auto own_r = clip(2, 0);
    const bool whole =
        own_o == std::pair{0, 8} && own_l == std::pair{0, 8} && own_r == std::pair{0, 8};
    if (!whole) values_[static_cast<std::size_t>(NodeNumber::f2)].fill(-1);
    for (int o = outer.first; o < outer.second; ++o) {
        const bool inside_o = o >= 0 && o < Tile::size(0);
        for (int l = middle.first; l < middle.second; ++l) {
            const bool inside_l = l >= 0 && l < Tile::size(1);
            if (!inside_o && !inside_l) continue;
            if (!inside_o || !inside_l) {
                copy_tau(o, l, own_r);
                continue;
            }
            copy_tau(o, l, inner);
            const std::ptrdiff_t from = row(o, l);
            const int to = Tile::code(o, l, 0);
            for (std::size_t n = 0; n < node_numbers - 1; ++n) {
                const float* const source = numbers_.values[n];
                if (source == nullptr) continue;
                copy_row(source + from, values_[n].data() + to, own_r);
            }
            copy_row(numbers_.mean + from, mean_.data() + to, own_r);
        }
    }
}

inline void TileLanes::store(const Task& task) {
    const Shape shape = numbers_.shape;
    const float* const f2 = number(NodeNumber::f2);
    if (has_jumps_) jumps_.store(numbers_, task.begin);
    for (int o = 0; o < Tile::size(0); ++o) {
        for (int l = 0; l < Tile::size(1); ++l) {
            const int first = Tile::code(o, l, 0);
            const std::ptrdiff_t row =
                (static_cast<std::ptrdiff_t>(task.begin[0] + o) * shape.y + task.begin[1] + l) *
                    shape.z +
                task.begin[2];
            for (int r = 0; r < Tile::size(2); ++r) {
                if (f2[first + r] > 0) {
                    tau_[row + r] = times_[static_cast<std::size_t>(place(first + r))];
                }
            }
        }
    }
}

template <bool Full, int Order, bool ByNeighbours>
unsigned TileLanes::update(Ints code, Ints present, SweepWay way, bool only_earlier,
                           Outcome& outcome) {
    const V f2 = gather(number(NodeNumber::f2), code);
    const auto live = (f2 > 0) & present;
    if (!any_lane(live)) return 0;
    const Ints here = place(code);
    const auto axis_values = [&](int step) {
        AxisValues<V> axis{gather(times_.data() - step, here), gather(times_.data() + step, here),
                           V{}, V{}};
        if constexpr (Order == 2) {
            axis.low2 = gather(times_.data() - 2 * step, here);
            axis.high2 = gather(times_.data() + 2 * step, here);
        }
        return axis;
    };
    OctantNode<V> node;
    node.x = axis_values(plane);
    node.y = axis_values(line);
    node.z = axis_values(1);
    const V nearest = least(least(node.x.low, node.x.high), least(node.y.low, node.y.high),
                            least(node.z.low, node.z.high));
    if (!any_lane(live & (nearest < reached_limit<float>))) return 0;
    node.tau = gather(times_.data(), here);
    node.gamma_x = gather(number(NodeNumber::gamma_x), code);
    node.gamma_y = gather(number(NodeNumber::gamma_y), code);
    node.gamma_z = gather(number(NodeNumber::gamma_z), code);
    node.f2 = live ? f2 : V{} + 1;
    node.tensor.xx = gather(number(NodeNumber::xx), code);
    node.tensor.yy = gather(number(NodeNumber::yy), code);
    node.tensor.zz = gather(number(NodeNumber::zz), code);
    if constexpr (Full) {
        node.tensor.xy = gather(number(NodeNumber::xy), code);
        node.tensor.xz = gather(number(NodeNumber::xz), code);
        node.tensor.yz = gather(number(NodeNumber::yz), code);
    }
    V now;
    if (has_jumps_) {
        now = jumps_.tau<Full, Order, ByNeighbours>(code, live, node);
    } else {
        OctantSides<Ints> from = octant_sides<Full, ByNeighbours>(node);
        if (Full && Order == 2 && has_kinks_) kinks_.bend(code, from, node);
        now = octant_tau<Full, Order, ByNeighbours>(node, from);
    }
    const V old = node.tau;
    auto take = live & (now < reached_limit<float>)&(now > 0);
    if (ByNeighbours || only_earlier) take = take & (now < old);
    const V change = now > old ? now - old : old - now;
    const auto moved = take & (change > metric_tolerance<ByNeighbours> * now);
    const std::uint32_t taken = lane_bits(take);
    if (taken == 0) return 0;
    for (std::uint32_t rest = taken; rest != 0; rest &= rest - 1) {
        const int n = __builtin_ctz(rest);
        times_[static_cast<std::size_t>(here[n])] = now[n];
    }
    const std::uint32_t moves = lane_bits(moved);
    if (moves == 0) return 0;
    for (std::uint32_t rest = moves; rest != 0; rest &= rest - 1) {
        const int n = __builtin_ctz(rest);
        moved_[static_cast<std::size_t>(code[n])] = 1;
        outcome.change = std::max(outcome.change, change[n] / now[n]);
    }
    // Nodes that were swept before these and may use them.
    const V slack = metric_reach<Full>(node.tensor) * root(node.f2);
    unsigned against = 0;
    const auto look = [&](int axis, const AxisValues<V>& values, V gamma) {
        const int shift = 6 - 3 * axis;
        const Ints part = code >> shift & 7;
        const Ints up = Ints{} + 1;
        const Ints middle = Ints{} + Tile::size(axis) / 2;
        Ints sense = way.down >> axis & 1 ? -up : up;
        if (way.outward >> axis & 1) sense = (part > middle ? up : part < middle ? -up : Ints{});
        const Ints before = part - sense;
        const auto inside = (sense != 0) & (before >= 0) & (before < Tile::size(axis));
        const V next = sense > 0 ? values.low : values.high;
        const V late = (sense > 0 ? 1 - gamma : 1 + gamma) * next;
        if (any_lane(moved & inside & (now < late + slack))) against |= 1U << axis;
    };
    look(0, node.x, node.gamma_x);
    look(1, node.y, node.gamma_y);
    look(2, node.z, node.gamma_z);
    return against;
}

template <bool Full, int Order, bool ByNeighbours>
unsigned TileLanes::sweep(SweepWay way, bool only_earlier, Outcome& outcome) {
    int mask = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const bool flip = (way.down & ~way.outward) >> axis & 1;
        if (flip) mask |= (Tile::size(axis) - 1) * Tile::stride(axis);
    }
    unsigned against = 0;
    const int begin = steps_.begin[way.outward] * TileSteps::lanes;
    const int end = steps_.begin[way.outward + 1] * TileSteps::lanes;
    for (int first = begin; first < end; first += lanes) {
        const std::uint16_t* const entries = steps_.nodes.data() + first;
        if (entries[0] == TileSteps::idle) continue;  // idle lanes come last
        Ints code;
        for (int n = 0; n < lanes; ++n) code[n] = entries[n];
        const Ints present = code != TileSteps::idle;
        code = (present ? code : Ints{} + entries[0]) ^ mask;
        against |= update<Full, Order, ByNeighbours>(code, present, way, only_earlier, outcome);
    }
    return against;
}

template <bool Full, int Order>
float TileLanes::earliest_through(const Task& task, int face, bool any) const {
    const int axis = face / 2;
    const int edge = face % 2 ? Tile::size(axis) - 1 : 0;
    const int outward = face % 2 ? 1 : -1;
    const auto a = static_cast<std::size_t>(axis);
    const int beyond = task.begin[a] + edge + outward;
    constexpr float none = std::numeric_limits<float>::infinity();
    if (beyond < 0 || beyond >= numbers_.shape[axis]) return none;
    const int one = axis == 0 ? 1 : 0;
    const int two = axis == 2 ? 1 : 2;
    const int step = outward * (axis == 0 ? plane : axis == 1 ? line : 1);
    const float* const gamma = number(NodeNumber::gamma_x) + axis * nodes;
    float earliest = none;
    for (int n = 0; n < 64; ++n) {
        const int code =
            edge * Tile::stride(axis) + (n >> 3) * Tile::stride(one) + (n & 7) * Tile::stride(two);
        bool matter = any || moved_[static_cast<std::size_t>(code)] != 0;
        if (Order == 2) {
            matter =
                matter || moved_[static_cast<std::size_t>(code - outward * Tile::stride(axis))];
        }
        if (!matter) continue;
        const float now = times_[static_cast<std::size_t>(place(code))];
        if (!(now < reached_limit<float>)) continue;
        const float f2 = number(NodeNumber::f2)[code];
        if (!any && f2 > 0) {
            const auto value = [&](NodeNumber which) { return number(which)[code]; };
            SymmetricTensor<float> m{
                value(NodeNumber::xx), value(NodeNumber::yy), value(NodeNumber::zz), 0, 0, 0};
            if constexpr (Full) {
                m.xy = value(NodeNumber::xy);
                m.xz = value(NodeNumber::xz);
                m.yz = value(NodeNumber::yz);
            }
            const float next = times_[static_cast<std::size_t>(place(code) + step)];
            const float late = (1 + static_cast<float>(outward) * gamma[code]) * next;
            if (!(now < late + metric_reach<Full>(m) * root(f2))) continue;
        }
        const float mean = mean_[static_cast<std::size_t>(code)];
        earliest = std::min(earliest, f2 > 0 ? now * root(mean_of_all_ / (mean * f2)) : 0.0F);
    }
    return earliest;
}

template <bool Full, int Order, bool ByNeighbours>
TileLanes::Outcome TileLanes::visit(const Task& task) {
    Outcome outcome;
    load(task);
    SweepWay way = task.way;
    for (int turn = 0; turn < most_sweeps && !outcome.settled; ++turn) {
        const unsigned against = sweep<Full, Order, ByNeighbours>(way, task.only_earlier, outcome);
        outcome.settled = against == 0;
        if (!outcome.settled) way = way.after(against, turn);
    }
    for (int face = 0; face < 6; ++face) {
        outcome.earliest[static_cast<std::size_t>(face)] =
            earliest_through<Full, Order>(task, face, task.tell >> face & 1U);
    }
    store(task);
    return outcome;
}

}  // namespace fermat
