#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/host_device.hpp"

namespace fermat {

/// What a node's equation takes of one axis (AxisDerivative), in the size of one number: d tau by
/// the upwind neighbour, which is never negative. Its sign says on which side that neighbour lies:
/// plus if below. Its last two bits say whether the node behind counts too and whether the equation
/// is the plain one. Of the numbers with these bits the nearest is taken, which is off by two units
/// in the last place at most, less than the rounding of the times has cost before.
template <class Real>
class AxisWeight {
  public:
    AxisWeight() = default;
    FERMAT_HD AxisWeight(Real near, bool from_low, bool second, bool plain) {
        const unsigned kind = (second ? has_second : 0) | (plain ? is_plain : 0);
        Bits bits;
        std::memcpy(&bits, &near, sizeof bits);
        bits = ((bits + 2 - kind) & ~Bits{3}) | kind;
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
    /// By the node behind it, as of the factored equation: that of the plain one is r of that node
    /// by r of the neighbour as large.
    FERMAT_HD_INLINE Real far(int side) const {
        return second() ? Real(-0.25) * near(side) : Real(0);
    }
    /// The side of the upwind neighbour; 0 if the axis takes no part.
    FERMAT_HD_INLINE int side() const { return value_ > 0 ? -1 : value_ < 0 ? 1 : 0; }
    FERMAT_HD_INLINE bool second() const { return (kind() & has_second) != 0; }
    FERMAT_HD_INLINE bool plain() const { return (kind() & is_plain) != 0; }

  private:
    using Bits = std::conditional_t<sizeof(Real) == 8, std::uint64_t, std::uint32_t>;
    static constexpr unsigned has_second = 1;
    static constexpr unsigned is_plain = 2;

    FERMAT_HD_INLINE unsigned kind() const {
        Bits bits;
        std::memcpy(&bits, &value_, sizeof bits);
        return static_cast<unsigned>(bits) & 3U;
    }

    Real value_ = 0;
};

}  // namespace fermat
