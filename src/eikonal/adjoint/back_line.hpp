#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "eikonal/adjoint/node_scheme.hpp"
#include "eikonal/lanes.hpp"
#include "eikonal/stencil.hpp"

namespace fermat {

namespace detail {

/// The next register of values as doubles.
[[gnu::always_inline]] inline Lanes<double> widened(const double* from) { return load(from); }
[[gnu::always_inline]] inline Lanes<double> widened(const float* from) {
    // GCC would convert pairs of values.
#if defined(__AVX512F__)
    return (Lanes<double>)_mm512_maskz_cvtps_pd(0xFF, _mm256_loadu_ps(from));
#elif defined(__AVX2__)
    return (Lanes<double>)_mm256_cvtps_pd(_mm_loadu_ps(from));
#else
    Lanes<double> wide;
    for (int lane = 0; lane < lane_count<double>; ++lane) wide[lane] = from[lane];
    return wide;
#endif
}

/// The lanes whose bit is set.
template <class Mask>
[[gnu::always_inline]] inline Mask lanes_of(std::uint32_t bits) {
    Mask bit_of_lane{};
    for (int lane = 0; lane < static_cast<int>(sizeof(Mask) / sizeof(bit_of_lane[0])); ++lane) {
        bit_of_lane[lane] = 1 << lane;
    }
    return ((Mask{} + static_cast<int>(bits)) & bit_of_lane) != 0;
}

[[gnu::always_inline]] inline Lanes<double> size_of(Lanes<double> v) { return v < 0 ? -v : v; }

}  // namespace detail

/// The linearised equations of a line of nodes along z, a register of nodes (a chunk) at a time,
/// and their transpose along the line. Nodes that take one of the side ways of update_tau are few,
/// and are derived one by one.
template <class Real, int Dim, int Order>
class BackLine {
  public:
    using Scheme = NodeScheme<Real, Dim, Order>;
    using Bits = std::uint32_t;  ///< of a chunk: one bit per lane

    static constexpr int step = lane_count<Real>;
    static constexpr int longest = 144;  ///< nodes: a multiple of any step
    /// Below this part of what a node hands on, rounding hides what comes to it: that of the sum,
    /// or that of the weights.
    static constexpr double rounding = sizeof(Real) == 8 ? 1e-17 : 1e-10;
    static constexpr int across = Dim - 1;  ///< axes but z: x, (y)

    /// Where the line lies and what is there.
    struct Place {
        Index3 first;
        std::size_t node;  ///< the number of the first
        int count;
        const Real* tau;                 ///< of the first node; those of no wave are `unreached`
        std::ptrdiff_t step_to[across];  ///< from a line's tau to that of the next line
        double* rest;                    ///< what has come to the nodes, before and behind too
        std::ptrdiff_t rest_to[across];
        double* by_slowness;
    };

    /// In units of 1/unit; 0 for nodes that hand on nothing. Set before begin, all `padded`.
    Real* velocity() { return velocity_; }
    static constexpr int padded = longest + 2 * step;

    /// Of the field that lines belong to: `inverse_slowness` is unit / s0.
    void set_field(const NodeFactor& factor, double inverse_slowness) {
        factor_ = factor;
        inverse_slowness_ = static_cast<Real>(inverse_slowness);
        for (int axis = 0; axis < 3; ++axis) {
            const double h = factor.spacing[axis];
            h_[axis] = static_cast<Real>(h);
            h2_[axis] = static_cast<Real>(h * h);
            inverse_h_[axis] = static_cast<Real>(1 / h);
        }
        z_step_ = static_cast<Real>(factor.step[2]);
    }
    void begin(const Place& place, double limit) {
        place_ = place;
        limit_ = limit;
        chunks_ = (place.count + step - 1) / step;
        std::fill_n(derived_, chunks_, false);
        hands_on_[0] = hands_on_[1] = {};
        taken_ = {};
        low_out_ = high_out_ = left_ = false;
        double across2 = factor_.far2;
        for (int axis = 0; axis < across; ++axis) {
            const double x = factor_.coordinate(axis, place.first[axis]);
            x_[axis] = static_cast<Real>(x);
            across2 += x * x;
        }
        across2_ = static_cast<Real>(across2);
        z_ = static_cast<Real>(factor_.coordinate(2, place.first.z));
    }

    /// Takes what has come to the nodes and solves for what they hand on. False if that is nothing.
    bool solve(const Scheme& scheme);

    /// What lambda of the nodes says: of slowness and source here, and of the lines beside this
    /// one: tell(axis, side, behind) is called for those that get something, and behind it.
    template <class Tell>
    void hand_on(double& largest, Vec3& by_source, std::vector<std::size_t>& unsettled, Tell tell);

    /// Whether something went to nodes before or behind the line, or waits on it.
    bool leaves_low() const { return low_out_; }
    bool leaves_high() const { return high_out_; }
    bool has_left() const { return left_; }

  private:
    using V = Lanes<Real>;
    using Mask = decltype(V{} < V{});
    using Wide = Lanes<double>;
    using WideMask = decltype(Wide{} < Wide{});
    static constexpr int wide_step = lane_count<double>;
    static constexpr int wides = step / wide_step;  ///< registers of double for one of Real

    Bits due(int c) const {
        const double* const rest = place_.rest + c * step;
        Bits bits = 0;
        for (int w = 0; w < wides; ++w) {
            bits |= lane_bits(detail::size_of(load(rest + w * wide_step)) > limit_)
                    << (w * wide_step);
        }
        return bits & mine(c);
    }
    /// The nodes of the line that hand on.
    Bits mine(int c) const {
        return lane_bits((load(velocity_ + c * step) > 0) &
                         (load(place_.tau + c * step) < reached_limit<Real>));
    }

    /// Derives the equations of a chunk and takes what has come to its nodes.
    void take(const Scheme& scheme, int c) {
        if (derived_[c]) return;
        derived_[c] = true;
        const Bits own = mine(c);
        derive(scheme, c, own);
        for (int w = 0; w < wides; ++w) {
            const int at = c * step + w * wide_step;
            const WideMask ok = detail::lanes_of<WideMask>(own >> (w * wide_step));
            const Wide come = load(place_.rest + at);
            const Wide none{};
            store(lambda_ + at, ok ? come : none);
            store(place_.rest + at, ok ? none : come);
        }
    }
    void derive(const Scheme& scheme, int c, Bits own);
    void keep(int e, int c, Mask low, Mask second, V part);
    void derive_single(const Scheme& scheme, int c, int lane);

    struct Chunks {
        int first = longest;
        int last = -1;

        void add(int c) {
            first = std::min(first, c);
            last = std::max(last, c);
        }
        bool none() const { return last < 0; }
    };
    /// Nodes hand on along the line, all to one side: what they have `from` in some chunks, and
    /// what comes to them on the way, which is added to lambda. `to` gets the latter, and all of
    /// nodes that had not taken part before. `whole`: from lambda itself. Returns the chunks that
    /// were reached.
    template <int side, bool whole = false>
    Chunks pass(const Scheme& scheme, Chunks chunks, const double* from, double* to);
    /// Those of some chunks in which nodes that hand on to a side have got something.
    Chunks that_hand_on(Chunks chunks, int side, const double* come) const;

    static constexpr int most_chunks = longest / step;
    static constexpr Bits all_lanes = (Bits{2} << (step - 1)) - 1;
    static constexpr int most_turns = 32;

    Place place_;
    double limit_ = 0;
    NodeFactor factor_;
    Real inverse_slowness_ = 0;
    Real h_[3] = {};
    Real h2_[3] = {};
    Real inverse_h_[3] = {};
    Real x_[across] = {};  ///< of the line, from the source
    Real across2_ = 0;     ///< its part of r^2
    Real z_ = 0;           ///< of the first node
    Real z_step_ = 0;
    int chunks_ = 0;
    Chunks taken_;  ///< those that take part
    bool derived_[most_chunks] = {};
    Chunks hands_on_[2] = {};  ///< those with nodes that hand on to a side
    bool low_out_ = false;
    bool high_out_ = false;
    bool left_ = false;

    alignas(64) Real velocity_[padded] = {};
    alignas(64) double lambda_[padded] = {};
    alignas(64) Real near_[across][2][padded] = {};
    alignas(64) Real far_[across][2][padded] = {};
    alignas(64) Real by_s_[padded] = {};
    alignas(64) Real slope_[Dim][padded] = {};
    alignas(64) double along_[2][2][padded] = {};  ///< up, down; to the next, to the one behind
    alignas(64) double up_[padded] = {};
    alignas(64) double down_[padded] = {};
    Bits goes_[across][2][most_chunks] = {};
    Bits goes_far_[across][2][most_chunks] = {};
    Bits wrong_[most_chunks] = {};
};

}  // namespace fermat
