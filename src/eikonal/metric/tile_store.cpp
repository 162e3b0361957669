#include "eikonal/metric/tile_store.hpp"

#include <algorithm>
#include <cstring>

#include "core/parallel.hpp"
#include "eikonal/lanes.hpp"

namespace fermat {
namespace {

using Tile = TileShape<3>;

/// Whole rows of a tile have a length that the compiler knows; a call would cost more than the
/// copy.
void copy_part(const float* from, float* to, int count) {
    if (count == Tile::size(2)) {
        std::memcpy(to, from, sizeof(float) * Tile::size(2));
    } else {
        for (int n = 0; n < count; ++n) to[n] = from[n];
    }
}

}  // namespace

TileStore::TileStore(const NodeNumbers& numbers, const MetricTileProblem& problem,
                     const std::array<int, 3>& shift)
    : numbers_(numbers),
      full_(numbers.full()),
      count_(full_ ? 12 : 8),
      tiles_{problem.tiles[0], problem.tiles[1], problem.tiles[2]},
      shift_(shift),
      values_(static_cast<std::size_t>(problem.tile_count()) * nodes * count_),
      tau_(static_cast<std::size_t>(problem.tile_count()) * nodes) {
    std::fill_n(tau_.data(), static_cast<std::size_t>(problem.tile_count()) * nodes,
                unreached<float>);
}

std::array<int, 3> TileStore::begin_of(int tile) const {
    const auto at = place_of(tile);
    return {at[0] * Tile::size(0) - shift_[0], at[1] * Tile::size(1) - shift_[1],
            at[2] * Tile::size(2) - shift_[2]};
}

template <class Copy>
void TileStore::each_part(int threads, Copy copy) const {
    const Shape shape = numbers_.shape;
    parallel_for(tiles_[0], threads, [&](std::int64_t slab) {
        for (int across = 0; across < tiles_[1]; ++across) {
            const int first = static_cast<int>(slab) * tile_stride(0) + across * tile_stride(1);
            const auto begin = begin_of(first);
            copy(first, [&](auto&& row_part) {
                for (int o = 0; o < Tile::size(0); ++o) {
                    const int i = begin[0] + o;
                    if (i < 0 || i >= shape.x) continue;
                    for (int l = 0; l < Tile::size(1); ++l) {
                        const int j = begin[1] + l;
                        if (j < 0 || j >= shape.y) continue;
                        const std::size_t row = shape.offset(i, j, 0);
                        for (int t = 0; t < tiles_[2]; ++t) {
                            const int k = begin[2] + t * Tile::size(2);
                            const int low = std::max(0, k);
                            const int high = std::min(shape.z, k + Tile::size(2));
                            if (low >= high) continue;
                            row_part(row + static_cast<std::size_t>(low), first + t,
                                     Tile::code(o, l, low - k), high - low);
                        }
                    }
                }
            });
        }
    });
}

void TileStore::put_numbers(int threads) {
    const auto whole = [&](int tile) {
        const auto begin = begin_of(tile);
        bool inside = true;
        for (int axis = 0; axis < 3; ++axis) {
            const int first = begin[static_cast<std::size_t>(axis)];
            inside &= first >= 0 && first + Tile::size(axis) <= numbers_.shape[axis];
        }
        return inside;
    };
    const std::size_t f2 = slot(static_cast<std::size_t>(NodeNumber::f2));
    each_part(threads, [&](int first, auto&& each_row_part) {
        for (int t = first; t < first + tiles_[2]; ++t) {
            if (whole(t)) continue;
            float* const values = values_.data() + static_cast<std::size_t>(t) * count_ * nodes;
            std::fill_n(values, count_ * nodes, 1.0F);
            std::fill_n(values + f2 * nodes, nodes, -1.0F);
        }
        for (std::size_t n = 0; n < node_numbers; ++n) {
            const bool is_tau = n == static_cast<std::size_t>(NodeNumber::tau);
            const float* const from = is_tau ? numbers_.mean : numbers_.values[n];
            if (from == nullptr) continue;
            const std::size_t to = is_tau ? count_ - 1 : slot(n);
            each_row_part([&](std::size_t row, int tile, int code, int count) {
                float* const values =
                    values_.data() + (static_cast<std::size_t>(tile) * count_ + to) * nodes;
                copy_part(from + row, values + code, count);
            });
        }
        for (int t = first; full_ && t < first + tiles_[2]; ++t) put_coupling(t);
    });
}

void TileStore::put_coupling(int tile) {
    float* const values = values_.data() + static_cast<std::size_t>(tile) * count_ * nodes;
    float* const to = values + (count_ - 2) * nodes;
    using V = Lanes<float>;
    for (int n = 0; n < nodes; n += lane_count<float>) {
        const auto value = [&](NodeNumber which) {
            return load(values + static_cast<int>(which) * nodes + n);
        };
        const SymmetricTensor<V> m{value(NodeNumber::xx), value(NodeNumber::yy),
                                   value(NodeNumber::zz), value(NodeNumber::xy),
                                   value(NodeNumber::xz), value(NodeNumber::yz)};
        fermat::store(to + n, coupling_reach(m));
    }
}

void TileStore::put_times(const float* tau, int threads) {
    each_part(threads, [&](int, auto&& each_row_part) {
        each_row_part([&](std::size_t row, int tile, int code, int count) {
            copy_part(tau + row, times(tile) + code, count);
        });
    });
}

void TileStore::get_times(float* tau, int threads) const {
    each_part(threads, [&](int, auto&& each_row_part) {
        each_row_part([&](std::size_t row, int tile, int code, int count) {
            copy_part(times(tile) + code, tau + row, count);
        });
    });
}

}  // namespace fermat
