#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/host_device.hpp"

namespace fermat {

/// What a node's equation takes of one axis (AxisDerivative), in the size of one number: d tau by
/// the upwind neighbour, which is never negative. Its sign says on which side that neighbour lies:
/// plus if below. Its last three bits say whether the node behind counts too, how, and whether the
/// equation is the plain one. Of the numbers with these bits the nearest is taken, which is off by
/// four units in the last place at most, no more than the rounding of the times has cost before.
template <class Real>
class AxisWeight {
  public:
    AxisWeight() = default;
    FERMAT_HD AxisWeight(Real near, bool from_low, bool second, bool plain, unsigned fades = 0) {
        const unsigned way = fades != 0 ? fades : second ? has_second : 0;
        const unsigned kind = way | (plain ? is_plain : 0);
        Bits bits;
        std::memcpy(&bits, &near, sizeof bits);
        bits = ((bits + 4 - kind) & ~Bits{7}) | kind;
        std::memcpy(&value_, &bits, sizeof bits);
        if (!from_low) value_ = -value_;
    }

    /// By the upwind neighbour if that lies on `side` (-1: below, 1: above), else 0.
    FERMAT_HD_INLINE Real near(int side) const {
        const Real there = side < 0 ? value_ : -value_;
#if defined(__CUDA_ARCH__)
        return fmax(there, Real(0));  // one instruction: a weight is a number
#else
        return there > 0 ? there : Real(0);
#endif
    }
    /// By the node behind it, unless that depends on the place (`by_place`).
    FERMAT_HD_INLINE Real far(int side) const {
        return second() ? Real(-0.25) * near(side) : Real(0);
    }
    /// The side of the upwind neighbour; 0 if the axis takes no part.
    FERMAT_HD_INLINE int side() const { return value_ > 0 ? -1 : value_ < 0 ? 1 : 0; }
    FERMAT_HD_INLINE bool second() const { return way() != 0; }
    FERMAT_HD_INLINE bool plain() const { return (kind() & is_plain) != 0; }
    /// Whether the weight of the node behind also depends on the place of the node.
    FERMAT_HD_INLINE bool by_place() const { return kind() > has_second; }
    /// The weight of the node behind by that of the neighbour, by sigma gamma and eta of the node.
    FERMAT_HD Real far_by_near(Real toward, Real eta) const {
        if (!second()) return 0;
        const bool factored = !plain();
        const Real v = 1 - toward + Real(1.5) * eta + toward * (eta - toward);
        const Real behind = factored ? v : Real(1);
        const Real part = way() == is_after   ? behind - Real(0.5)
                          : way() == it_falls ? Real(-0.5) * behind
                                              : Real(-0.25);
        if (factored) return part;
        const Real near2 = 1 - 2 * toward + eta;
        const Real far2 = 1 - 4 * toward + 4 * eta;
        return near2 > 0 && far2 > 0 ? part * std::sqrt(far2 / near2) : Real(0);
    }
    /// What `fades` is where second order fades out (stencil.hpp): where only is_after_far is true,
    /// or only falls_behind.
    static constexpr unsigned is_after = 2;
    static constexpr unsigned it_falls = 3;

  private:
    using Bits = std::conditional_t<sizeof(Real) == 8, std::uint64_t, std::uint32_t>;
    static constexpr unsigned has_second = 1;
    static constexpr unsigned is_plain = 4;

    FERMAT_HD_INLINE unsigned way() const { return kind() & 3U; }
    FERMAT_HD_INLINE unsigned kind() const {
        Bits bits;
        std::memcpy(&bits, &value_, sizeof bits);
        return static_cast<unsigned>(bits) & 7U;
    }

    Real value_ = 0;
};

}  // namespace fermat
