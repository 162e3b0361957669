#include "eikonal/metric/sweeps.hpp"

#include <algorithm>
#include <limits>

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "eikonal/metric/octant.hpp"

namespace fermat {
namespace {

using V = Lanes<float>;
constexpr int lanes = lane_count<float>;

constexpr std::size_t at(NodeNumber number) { return static_cast<std::size_t>(number); }

/// The value of numbers on the rim: nothing is computed there, and no wave comes from it.
float rim_value(NodeNumber number) {
    switch (number) {
        case NodeNumber::xx:
        case NodeNumber::yy:
        case NodeNumber::zz:
            return 1;
        case NodeNumber::f2:
            return -1;
        case NodeNumber::tau:
            return unreached<float>;
        default:
            return 0;
    }
}

/// Numbers that change their sign where k is counted from the other end.
bool turns_with_z(NodeNumber number) {
    return number == NodeNumber::xz || number == NodeNumber::yz || number == NodeNumber::gamma_z;
}

/// Numbers that depend on the tensor.
bool of_tensor(NodeNumber number) {
    return at(number) <= at(NodeNumber::yz) || number == NodeNumber::f2;
}

/// tau one and two nodes below and above along an axis.
struct AxisValues {
    V low;
    V high;
    V low2;
    V high2;
};

/// The neighbours that the difference along one axis uses.
struct ChosenSide {
    V near;
    V far;
    V toward;  ///< sigma gamma
};

template <class Mask>
ChosenSide chosen(const AxisValues& axis, V gamma, Mask from_low) {
    return {from_low ? axis.low : axis.high, from_low ? axis.low2 : axis.high2,
            from_low ? gamma : -gamma};
}

template <bool Full, int Order>
OctantTerm<V> term_of(const ChosenSide& side, V base) {
    V c = 1 + side.toward;
    V r = (side.near - base) - side.toward * base;
    if constexpr (Order == 2) {
        // Not where tau changes to a third within a cell, as beside a source in a slow node, nor
        // towards unreached nodes.
        auto second = (side.far < 3 * side.near) & (side.near < 3 * side.far) &
                      (side.near < reached_limit<float>);
        if constexpr (!Full) {
            // Nor across a front: the node behind must be upwind too. Where axes couple, times may
            // fall along the way of the wave. T0 varies as 1 - k sigma gamma.
            second =
                second &
                ((0.99999F * side.far * (1 - 2 * side.toward) <= side.near * (1 - side.toward)) |
                 (side.toward > 0.3F));
        }
        c = second ? c + 0.5F : c;
        r = second ? r + 0.5F * (side.near - base) + 0.5F * (side.near - side.far) : r;
    }
    return {c, r};
}

/// p along an axis from both neighbours, or from the one that is reached.
V centred_slope(const AxisValues& axis, V tau, V gamma) {
    const auto no_low = axis.low >= reached_limit<float>;
    const auto no_high = axis.high >= reached_limit<float>;
    const V below = no_low ? axis.high - tau : tau - axis.low;
    const V above = no_high ? tau - axis.low : axis.high - tau;
    const V slope = 0.5F * (below + above);
    return (no_low & no_high ? V{} : slope) + gamma * tau;
}

/// The lanes of a register that lie in a line of which `left` nodes remain.
auto inside_line(int left) {
    typedef std::int32_t Ints __attribute__((vector_size(register_bytes)));
    Ints lane;
    for (int n = 0; n < lanes; ++n) lane[n] = n;
    return lane < left;
}

}  // namespace

MetricSweeps::MetricSweeps(const NodeFields& fields, int threads)
    : shape_(fields[at(NodeNumber::tau)].shape()),
      threads_(threads),
      full_(!fields[at(NodeNumber::xy)].empty()),
      sides_{Side{SkewedLayout(shape_, false), {}}, Side{SkewedLayout(shape_, true), {}}},
      natural_(shape_.count()) {
    for (Side& side : sides_) fill(side, fields, true);
}

void MetricSweeps::fill(Side& side, const NodeFields& fields, bool all) {
    parallel_for(static_cast<std::int64_t>(node_numbers), threads_, [&](std::int64_t n) {
        const auto number = static_cast<NodeNumber>(n);
        const Field<float>& from = fields[at(number)];
        std::vector<float>& to = side.numbers[at(number)];
        if (from.empty() || (!all && !of_tensor(number))) return;
        if (to.empty()) to.assign(side.layout.size(), rim_value(number));
        const float sign = side.layout.reversed() && turns_with_z(number) ? -1.0F : 1.0F;
        for (int i = 0; i < shape_.x; ++i) {
            side.layout.each_in_slab(
                i, [&](std::size_t here, std::size_t node) { to[here] = sign * from[node]; });
        }
    });
}

void MetricSweeps::replace_tensors(const NodeFields& fields) {
    for (Side& side : sides_) fill(side, fields, false);
}

void MetricSweeps::hand_over(const Side& from, Side& to) {
    const std::vector<float>& source = from.numbers[at(NodeNumber::tau)];
    std::vector<float>& target = to.numbers[at(NodeNumber::tau)];
    parallel_for(shape_.x, threads_, [&](std::int64_t i) {
        from.layout.each_in_slab(static_cast<int>(i), [&](std::size_t here, std::size_t node) {
            natural_[node] = source[here];
        });
        to.layout.each_in_slab(static_cast<int>(i), [&](std::size_t here, std::size_t node) {
            target[here] = natural_[node];
        });
    });
}

void MetricSweeps::copy_to(FieldView<float> tau) const {
    // Every round ends with the second layout.
    const std::vector<float>& source = sides_[1].numbers[at(NodeNumber::tau)];
    for (int i = 0; i < shape_.x; ++i) {
        sides_[1].layout.each_in_slab(i, [&](std::size_t here, std::size_t node) {
            const float found = source[here];
            tau[node] =
                found < reached_limit<float> ? found : std::numeric_limits<float>::infinity();
        });
    }
}

template <bool Full, int Order, bool ByNeighbours, MetricSweeps::Accept Mode>
float MetricSweeps::update_line(Side& side, int i, int m) const {
    const SkewedLayout& layout = side.layout;
    const std::ptrdiff_t x = layout.slab();
    const std::ptrdiff_t y[4] = {layout.step_y(m, -1), layout.step_y(m, 1), layout.step_y(m, -2),
                                 layout.step_y(m, 2)};
    const std::ptrdiff_t z[4] = {layout.step_z(m, -1), layout.step_z(m, 1), layout.step_z(m, -2),
                                 layout.step_z(m, 2)};
    const auto number = [&](NodeNumber which, std::ptrdiff_t here) {
        return load(side.numbers[at(which)].data() + here);
    };
    V worst = V{};
    const int end = layout.end(m);
    for (int j = layout.begin(m); j < end; j += lanes) {
        const std::ptrdiff_t here = layout.origin(i, m) + j;
        const V f2 = number(NodeNumber::f2, here);
        const auto live = (f2 > 0) & inside_line(end - j);
        if (!any_lane(live)) continue;
        float* const tau = side.numbers[at(NodeNumber::tau)].data() + here;
        const V old = load(tau);
        const auto values = [&](std::ptrdiff_t low, std::ptrdiff_t high, std::ptrdiff_t low2,
                                std::ptrdiff_t high2) {
            AxisValues axis{load(tau + low), load(tau + high), V{}, V{}};
            if constexpr (Order == 2) {
                axis.low2 = load(tau + low2);
                axis.high2 = load(tau + high2);
            }
            return axis;
        };
        const AxisValues tx = values(-x, x, -2 * x, 2 * x);
        const AxisValues ty = values(y[0], y[1], y[2], y[3]);
        const AxisValues tz = values(z[0], z[1], z[2], z[3]);
        const V nearest =
            least(least(least(tx.low, tx.high), least(ty.low, ty.high)), least(tz.low, tz.high));
        if (!any_lane(live & (nearest < reached_limit<float>))) continue;
        const V gx = number(NodeNumber::gamma_x, here);
        const V gy = number(NodeNumber::gamma_y, here);
        const V gz = number(NodeNumber::gamma_z, here);
        SymmetricTensor<V> t{number(NodeNumber::xx, here),
                             number(NodeNumber::yy, here),
                             number(NodeNumber::zz, here),
                             V{},
                             V{},
                             V{}};
        if constexpr (Full) {
            t.xy = number(NodeNumber::xy, here);
            t.xz = number(NodeNumber::xz, here);
            t.yz = number(NodeNumber::yz, here);
        }
        auto from_x = (1 - gx) * tx.low < (1 + gx) * tx.high;
        auto from_y = (1 - gy) * ty.low < (1 + gy) * ty.high;
        auto from_z = (1 - gz) * tz.low < (1 + gz) * tz.high;
        if constexpr (!ByNeighbours) {
            const V px = centred_slope(tx, old, gx);
            const V py = centred_slope(ty, old, gy);
            const V pz = centred_slope(tz, old, gz);
            const auto along = [&](const AxisValues& axis, V w, auto by_neighbours) {
                const auto known = (old < reached_limit<float>)&(axis.low < reached_limit<float>)&(
                    axis.high < reached_limit<float>);
                return (known & (w >= 0)) | (~known & by_neighbours);
            };
            from_x = along(tx, t.xx * px + t.xy * py + t.xz * pz, from_x);
            from_y = along(ty, t.xy * px + t.yy * py + t.yz * pz, from_y);
            from_z = along(tz, t.xz * px + t.yz * py + t.zz * pz, from_z);
        }
        if constexpr (Full) {
            t.xy = from_x == from_y ? t.xy : -t.xy;
            t.xz = from_x == from_z ? t.xz : -t.xz;
            t.yz = from_y == from_z ? t.yz : -t.yz;
        }
        const ChosenSide sx = chosen(tx, gx, from_x);
        const ChosenSide sy = chosen(ty, gy, from_y);
        const ChosenSide sz = chosen(tz, gz, from_z);
        const V base = least(sx.near, sy.near, sz.near);
        constexpr float slack = ByNeighbours ? 0.0F : 0.05F;
        const V found =
            base + octant_root(t, term_of<Full, Order>(sx, base), term_of<Full, Order>(sy, base),
                               term_of<Full, Order>(sz, base), live ? f2 : V{} + 1, slack);
        const V change =
            Mode == Accept::earlier ? old - found : (found > old ? found - old : old - found);
        const auto take = live & (found < reached_limit<float>)&(found > 0) & (change > 0);
        store(tau, take ? found : old);
        const V relative = take ? change / found : V{};
        worst = relative > worst ? relative : worst;
    }
    float most = 0;
    for (int n = 0; n < lanes; ++n) most = std::max(most, worst[n]);
    return most;
}

template <bool Full, int Order, bool ByNeighbours, MetricSweeps::Accept Mode>
float MetricSweeps::sweep(Side& side, int step_x, int step_m) {
    const int slabs = shape_.x;
    const int lines = side.layout.lines();
    const auto update = [&](int i, int m) {
        return update_line<Full, Order, ByNeighbours, Mode>(side, step_x > 0 ? i : slabs - 1 - i,
                                                            step_m > 0 ? m : lines - 1 - m);
    };
    const auto block = [&](int first_i, int end_i, int first_m, int end_m) {
        float worst = 0;
        for (int i = first_i; i < end_i; ++i) {
            for (int m = first_m; m < end_m; ++m) worst = std::max(worst, update(i, m));
        }
        return worst;
    };
    // In smaller grids, threads would mostly wait for one another.
    constexpr std::size_t worth_threads = 250000;
    if (threads_ <= 1 || slabs == 1 || shape_.count() < worth_threads) {
        return block(0, slabs, 0, lines);
    }
    const int blocks_i = std::min(slabs, 2 * threads_);
    const int blocks_m = std::min(lines, 4 * threads_);
    std::vector<float> found(static_cast<std::size_t>(blocks_i));
    for (int level = 0; level < blocks_i + blocks_m - 1; ++level) {
        const int first = std::max(0, level - blocks_m + 1);
        const int last = std::min(blocks_i - 1, level);
        parallel_for(last - first + 1, threads_, [&](std::int64_t n) {
            const int i = first + static_cast<int>(n);
            const int m = level - i;
            float& most = found[static_cast<std::size_t>(i)];
            most = std::max(most, block(slabs * i / blocks_i, slabs * (i + 1) / blocks_i,
                                        lines * m / blocks_m, lines * (m + 1) / blocks_m));
        });
    }
    return *std::max_element(found.begin(), found.end());
}

/// Sweeps once in each of the eight orders and returns the greatest relative change of the last
/// four.
float MetricSweeps::round(int order, bool by_neighbours, Monitor& monitor) {
    const auto run = [&](Side& side, int step_x, int step_m) {
        monitor.check();
        const auto with = [&](auto full) {
            constexpr bool is_full = decltype(full)::value;
            if (by_neighbours)
                return sweep<is_full, 1, true, Accept::earlier>(side, step_x, step_m);
            if (order == 1) return sweep<is_full, 1, false, Accept::changed>(side, step_x, step_m);
            return sweep<is_full, 2, false, Accept::changed>(side, step_x, step_m);
        };
        return full_ ? with(std::true_type{}) : with(std::false_type{});
    };
    float worst = 0;
    for (std::size_t n = 0; n < 2; ++n) {
        worst = 0;
        for (int direction = 0; direction < 4; ++direction) {
            worst = std::max(worst, run(sides_[n], direction & 1 ? -1 : 1, direction & 2 ? -1 : 1));
        }
        hand_over(sides_[n], sides_[1 - n]);
    }
    return worst;
}

void MetricSweeps::first_order(Monitor& monitor) {
    constexpr int most_rounds = 1000;
    // Rough times suffice: settle() corrects them.
    constexpr float rough = 3e-3F;
    for (int n = 0; n < most_rounds; ++n) {
        if (round(1, true, monitor) < rough) return;
    }
}

MetricSweeps::Settled MetricSweeps::settle(int order, Monitor& monitor) {
    constexpr float quiet = 1.5e-6F;
    constexpr int most_rounds = 30;
    Settled settled;
    do {
        settled.change = round(order, false, monitor);
        ++settled.rounds;
    } while (settled.change >= quiet && settled.rounds < most_rounds);
    return settled;
}

}  // namespace fermat
