#pragma once

#include <bit>
#include <cmath>

#include "eikonal/adjoint/back_line.hpp"

namespace fermat {

template <class Real, int Dim, int Order>
template <int side, bool whole>
auto BackLine<Real, Dim, Order>::pass(const Scheme& scheme, Chunks chunks, const double* from,
                                      double* to) -> Chunks {
    const double* const near = along_[side][0];
    const double* const far = along_[side][1];
    constexpr int sense = side == 0 ? -1 : 1;
    constexpr bool tells =
        !whole || side == 1;  // what came up at first goes down as part of lambda
    const int until = side == 0 ? chunks.first : chunks.last;
    double weight = 0;  // of the node before by the one that is next
    double total = 0;   // of the node before
    double behind = 0;  // what comes to the next one from two before
    double later = 0;   // and to the one after it
    int c = side == 0 ? chunks.last : chunks.first;
    for (; c >= 0 && c < chunks_; c += sense) {
        const int begin = side == 0 ? c * step + step - 1 : c * step;
        const bool fresh = c < taken_.first || c > taken_.last;
        if (sense * (c - until) > 0) {
            const double least =
                fresh ? limit_ : std::max(limit_, rounding * std::abs(lambda_[begin]));
            if (std::abs(behind + weight * total) <= least && std::abs(later) <= least) break;
        }
        if (fresh) {
            take(scheme, c);
            taken_.add(c);
        }
        const double* const own = fresh ? lambda_ : from;
        for (int n = 0, k = begin; n < step; ++n, k += sense) {
            const double held = own[k];
            const double come = behind + weight * total;
            total = (held + behind) + weight * total;  // held + come, in a shorter chain
            weight = near[k];
            behind = later;
            later = far[k] * total;
            if constexpr (whole) {
                lambda_[k] = total;
            } else {
                lambda_[k] += come;
            }
            if constexpr (tells) to[k] = come;
        }
        if (!tells || !fresh) continue;
        for (int k = c * step; k < (c + 1) * step; ++k) to[k] = lambda_[k];
    }
    const double next = behind + weight * total;
    if (next != 0 || later != 0) {
        // Lies behind the end of the line, or in chunks that take no part.
        double* const rest = place_.rest + (side == 0 ? c * step + step - 1 : c * step);
        rest[0] += next;
        rest[sense] += later;
        if (c < 0) low_out_ = true;
        if (c == chunks_) high_out_ = true;
    }
    return side == 0 ? Chunks{c + 1, chunks.last} : Chunks{chunks.first, c - 1};
}

template <class Real, int Dim, int Order>
bool BackLine<Real, Dim, Order>::solve(const Scheme& scheme) {
    Chunks found;
    for (int c = 0; c < chunks_; ++c) {
        if (due(c) != 0) found.add(c);
    }
    if (found.none()) return false;
    for (int c = found.first; c <= found.last; ++c) take(scheme, c);
    taken_ = found;
    if (!hands_on_[0].none()) pass<0, true>(scheme, hands_on_[0], lambda_, up_);
    if (hands_on_[1].none()) return true;
    Chunks come = pass<1, true>(scheme, hands_on_[1], lambda_, down_);
    // Rounding may make two nodes hand on to each other: what came down to a node that hands on
    // upwards goes round again.
    for (int turn = 0; turn < most_turns; ++turn) {
        come = that_hand_on(come, 0, down_);
        if (come.none()) return true;
        come = that_hand_on(pass<0>(scheme, come, down_, up_), 1, up_);
        if (come.none()) return true;
        come = pass<1>(scheme, come, up_, down_);
    }
    for (int k = come.first * step; k < (come.last + 1) * step; ++k) {
        if (along_[0][0][k] == 0) continue;
        lambda_[k] -= down_[k];
        place_.rest[k] += down_[k];
    }
    left_ = true;
    return true;
}

template <class Real, int Dim, int Order>
auto BackLine<Real, Dim, Order>::that_hand_on(Chunks chunks, int side, const double* come) const
    -> Chunks {
    Chunks found;
    for (int c = chunks.first; c <= chunks.last; ++c) {
        for (int k = c * step; k < (c + 1) * step; k += wide_step) {
            const Wide size = detail::size_of(load(come + k));
            const Wide least = rounding * detail::size_of(load(lambda_ + k));
            const WideMask hands_on = load(along_[side][0] + k) != 0;
            if (any_lane((size > limit_) & (size > least) & hands_on)) {
                found.add(c);
            }
        }
    }
    return found;
}

template <class Real, int Dim, int Order>
template <class Tell>
void BackLine<Real, Dim, Order>::hand_on(double& largest, Vec3& by_source,
                                         std::vector<std::size_t>& unsettled, Tell tell) {
    Wide most = Wide{} + largest;
    Wide slopes[Dim] = {};
    for (int c = taken_.first; c <= taken_.last; ++c) {
        const Bits own = mine(c);
        const int at = c * step;
        Wide lambda[wides];
        for (int w = 0; w < wides; ++w) {
            const int k = at + w * wide_step;
            const Wide none{};
            const Wide found = load(lambda_ + k);
            // What has come to others, as start nodes and those behind the end, stays there.
            const WideMask hands_on = detail::lanes_of<WideMask>(own >> (w * wide_step));
            lambda[w] = hands_on ? found : none;
            const Wide stays = hands_on ? none : found;
            if (own != all_lanes) {
                store(place_.rest + k, load(place_.rest + k) + stays);
                for (int lane = 0; lane < wide_step; ++lane) {
                    if (k + lane >= place_.count && stays[lane] != 0) high_out_ = true;
                }
            }
            const Wide size = detail::size_of(lambda[w]);
            most = size > most ? size : most;
            const Wide gained = lambda[w] * detail::widened(by_s_ + k);
            if (k + wide_step <= place_.count) {
                store(place_.by_slowness + k, load(place_.by_slowness + k) + gained);
            } else {
                for (int lane = 0; k + lane < place_.count; ++lane) {
                    place_.by_slowness[k + lane] += gained[lane];
                }
            }
            for (int e = 0; e < Dim; ++e) {
                slopes[e] += lambda[w] * detail::widened(slope_[e] + k);
            }
        }
        const auto push = [&](double* to, const Real* weights) __attribute__((always_inline)) {
            for (int w = 0; w < wides; ++w) {
                const int k = w * wide_step;
                store(to + k, load(to + k) + lambda[w] * detail::widened(weights + k));
            }
        };
        for (int e = 0; e < across; ++e) {
            for (int side = 0; side < 2; ++side) {
                if (goes_[e][side][c] == 0) continue;
                const std::ptrdiff_t to = side == 0 ? -place_.rest_to[e] : place_.rest_to[e];
                push(place_.rest + at + to, near_[e][side] + at);
                const bool behind = goes_far_[e][side][c] != 0;
                if (behind) push(place_.rest + at + 2 * to, far_[e][side] + at);
                tell(e, side, behind);
            }
        }
        for (Bits bits = wrong_[c]; bits != 0; bits &= bits - 1) {
            const int k = at + std::countr_zero(bits);
            if (lambda_[k] != 0) unsettled.push_back(place_.node + static_cast<std::size_t>(k));
        }
    }
    for (int lane = 0; lane < wide_step; ++lane) {
        largest = std::max(largest, most[lane]);
        for (int e = 0; e < Dim; ++e) by_source[Dim == 3 || e == 0 ? e : 2] += slopes[e][lane];
    }
}

}  // namespace fermat
