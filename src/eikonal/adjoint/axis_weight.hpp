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
    FERMAT_HD AxisWeight(Real near, bool from_low, bool second, bool plain, int cut = 0) {
        const unsigned way = cut > 0 ? cut_above : cut < 0 ? cut_below : second ? has_second : 0;
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
    FERMAT_HD_INLINE bool second() const { return (kind() & cut_below) != 0; }
    FERMAT_HD_INLINE bool plain() const { return (kind() & is_plain) != 0; }
    /// The sign of the bend where that exceeds the drop (stencil.hpp), else 0.
    FERMAT_HD_INLINE int cut() const {
        const unsigned way = kind() & cut_below;
        return way == cut_above ? 1 : way == cut_below ? -1 : 0;
    }
    /// Whether the weight of the node behind also depends on the place of the node.
    FERMAT_HD_INLINE bool by_place() const { return kind() > has_second; }
    /// The weight of the node behind by that of the neighbour, by sigma gamma and eta of the node.
    FERMAT_HD Real far_by_near(Real toward, Real eta) const {
        if (!second()) return 0;
        const Real half = Real(0.5) * static_cast<Real>(cut());
        const Real factored =
            half * (1 - 2 * toward + Real(1.5625) * eta) / (1 - half * (1 - toward));
        if (!plain()) return cut() == 0 ? Real(-0.25) : factored;
        const Real near2 = 1 - 2 * toward + eta;
        const Real far2 = 1 - 4 * toward + 4 * eta;
        const Real part = cut() == 0 ? Real(-0.25) : half / (1 - half);
        return near2 > 0 && far2 > 0 ? part * std::sqrt(far2 / near2) : Real(0);
    }

  private:
    using Bits = std::conditional_t<sizeof(Real) == 8, std::uint64_t, std::uint32_t>;
    static constexpr unsigned has_second = 1;
    static constexpr unsigned cut_above = 2;
    static constexpr unsigned cut_below = 3;
    static constexpr unsigned is_plain = 4;

    FERMAT_HD_INLINE unsigned kind() const {
        Bits bits;
        std::memcpy(&bits, &value_, sizeof bits);
        return static_cast<unsigned>(bits) & 7U;
    }

    Real value_ = 0;
};

}  // namespace fermat
