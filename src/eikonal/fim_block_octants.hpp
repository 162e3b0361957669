#pragma once

#include "eikonal/fim_block.hpp"
#include "eikonal/octant_update.hpp"

namespace fermat {

template <class Real, int Dim, int Order>
void FimBlock<Real, Dim, Order>::load_jumps(const FimProblem<Real>& problem,
                                            const BlockExtent& extent) {
    std::fill(jumps_.begin(), jumps_.end(), Bits{0});
    const std::uint8_t* const jumps = problem.cells.jumps.data();
    for (int o = 0; o < extent.size(0); ++o) {
        for (int l = 0; l < extent.size(1); ++l) {
            const std::uint8_t* const from =
                jumps + problem.offset(extent.begin[0] + o, extent.begin[1] + l, extent.begin[2]);
            const int lane = lane_of(l);
            for (int r = 0; r < extent.size(2); ++r) {
                jumps_[at_row(o, r + lane)] |= Bits{from[r]} << lane;
            }
        }
    }
    for (std::size_t n = 0; n < jumps_.size(); ++n) jumps_[n] &= mine_[n];
}

template <class Real, int Dim, int Order>
Real FimBlock<Real, Dim, Order>::update_by_octants(const FimProblem<Real>& problem,
                                                   const BlockExtent& extent, int o, int row,
                                                   int lane) const {
    const std::array<int, 3> node{extent.begin[0] + o, extent.begin[1] + lane_of(lane),
                                  extent.begin[2] + row - lane};
    const auto step = steps();
    const Real* const t = tau_.data() + at(o, row, lane);
    const Real inverse_r2 = inverse_r2_[static_cast<std::size_t>(at_medium(o, row, lane))];
    const auto along = [&](int axis) {
        const double h = problem.spacing[axis];
        return AxisStencil<Real>{
            t[-step[axis]],
            t[step[axis]],
            t[-2 * step[axis]],
            t[2 * step[axis]],
            static_cast<Real>(h * problem.coordinate(axis, node[axis])) * inverse_r2,
            static_cast<Real>(h * h) * inverse_r2,
            static_cast<Real>(1 / h)};
    };
    const float s0 = static_cast<float>(problem.source_slowness);
    const auto cells = problem.cells.velocity;
    if constexpr (Dim == 2) {
        const auto octants = octants_round<2>(cells, {node[1], 0, node[2]}, s0);
        return update_tau_by_octants<Order>(octants, inverse_r2, {along(1), along(2)});
    } else {
        const auto octants = octants_round<3>(cells, {node[0], node[1], node[2]}, s0);
        return update_tau_by_octants<Order>(octants, inverse_r2, {along(0), along(1), along(2)});
    }
}

}  // namespace fermat
