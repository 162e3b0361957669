#pragma once

#include <algorithm>

#include "eikonal/fim/block.hpp"

namespace fermat {

template <class Real, int Dim, int Order>
void FimBlock<Real, Dim, Order>::mark_stale(const FimProblem<Real>& problem,
                                            const BlockExtent& extent, unsigned causes) {
    // A wave that reaches a block for the first time passes through all of it.
    const bool all = (causes & unsettled) != 0 || is_blank(causes);
    std::fill(stale_.begin(), stale_.end(), all ? ~Bits{0} : Bits{0});
    if (all) return;
    if (causes & near_start) mark_round_starts(problem, extent);
    for (int axis = first_axis; axis < 3; ++axis) {
        for (int side = 0; side < 2; ++side) {
            if (causes & through_face(axis, side)) mark_at_face(extent, axis, side);
        }
    }
}

template <class Real, int Dim, int Order>
void FimBlock<Real, Dim, Order>::mark_round_starts(const FimProblem<Real>& problem,
                                                   const BlockExtent& extent) {
    for (const auto& start : problem.starts) {
        for (int axis = first_axis; axis < 3; ++axis) {
            for (int shift = -Order; shift <= Order; ++shift) {
                auto node = start;
                node[axis] += shift;
                if (!extent.contains(node)) continue;
                for (int a = 0; a < 3; ++a) node[a] -= extent.begin[a];
                mark_node(node);
            }
        }
    }
}

/// Marks the nodes whose stencil reads reached nodes across a face.
template <class Real, int Dim, int Order>
void FimBlock<Real, Dim, Order>::mark_at_face(const BlockExtent& extent, int axis, int side) {
    const int a = axis == 0 ? 1 : 0;
    const int b = axis == 2 ? 1 : 2;
    const int edge = side ? extent.size(axis) - 1 : 0;
    const int inward = side ? -1 : 1;
    const int layers = std::min(Order, extent.size(axis));
    std::array<int, 3> node{};
    for (node[a] = 0; node[a] < extent.size(a); ++node[a]) {
        for (node[b] = 0; node[b] < extent.size(b); ++node[b]) {
            node[axis] = edge - inward;
            const int behind = at_node(node[0], node[1], node[2]);
            if (!(tau_[static_cast<std::size_t>(behind)] < reached_limit<Real>)) continue;
            for (int layer = 0; layer < layers; ++layer) {
                node[axis] += inward;
                mark_node(node);
            }
        }
    }
}

template <class Real, int Dim, int Order>
void FimBlock<Real, Dim, Order>::mirror(const BlockExtent& extent) {
    mirror_tau(extent);
    // The medium stays: its other order is made once in a visit.
    if (!has_other_medium_) {
        mirror_medium(f_, other_f_, extent);
        mirror_medium(inverse_r2_, other_inverse_r2_, extent);
        has_other_medium_ = true;
    }
    f_.swap(other_f_);
    inverse_r2_.swap(other_inverse_r2_);
    mirror_stale(extent);
    mirrored_ = !mirrored_;
    find_mine(extent);
}

template <class Real, int Dim, int Order>
void FimBlock<Real, Dim, Order>::mirror_tau(const BlockExtent& extent) {
    spare_.resize(tau_.size());
    for (int o = -first_plane; o < extent.size(0) + first_plane; ++o) {
        clear_plane(spare_, o, extent);
        for (int lane = -halo; lane < lanes_ + halo; ++lane) {
            const int other = lanes_ - 1 - lane;
            // No stencil reads the corners of the halo, and storage has no place for some of them.
            const int reach = lane >= 0 && lane < lanes_ ? halo : 0;
            const Real* const from = tau_.data() + at(o, lane, lane);
            Real* const to = spare_.data() + at(o, other, other);
            for (int r = -reach; r < extent.size(2) + reach; ++r) to[r * pitch] = from[r * pitch];
        }
    }
    tau_.swap(spare_);
}

template <class Real, int Dim, int Order>
void FimBlock<Real, Dim, Order>::mirror_medium(const std::vector<Real>& values,
                                               std::vector<Real>& other,
                                               const BlockExtent& extent) {
    other.resize(values.size());
    for (int o = 0; o < extent.size(0); ++o) {
        std::fill_n(other.begin() + at_medium(o, 0, 0), row_count(extent) * width, unreached<Real>);
        for (int lane = 0; lane < lanes_; ++lane) {
            const int mirrored = lanes_ - 1 - lane;
            const Real* const from = values.data() + at_medium(o, lane, lane);
            Real* const to = other.data() + at_medium(o, mirrored, mirrored);
            for (int r = 0; r < extent.size(2); ++r) to[r * width] = from[r * width];
        }
    }
}

template <class Real, int Dim, int Order>
void FimBlock<Real, Dim, Order>::mirror_stale(const BlockExtent& extent) {
    spare_bits_.assign(stale_.size(), 0);
    for (int o = 0; o < extent.size(0); ++o) {
        for (int row = 0; row < row_count(extent); ++row) {
            for (Bits left = stale_[at_row(o, row)] & mine_[at_row(o, row)]; left != 0;
                 left &= left - 1) {
                const int lane = std::countr_zero(left);
                const int other = lanes_ - 1 - lane;
                spare_bits_[at_row(o, row - lane + other)] |= Bits{1} << other;
            }
        }
    }
    stale_.swap(spare_bits_);
}

}  // namespace fermat
