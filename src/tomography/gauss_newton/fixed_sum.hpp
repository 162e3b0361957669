#pragma once

#include <cmath>
#include <cstdint>

#include "core/host_device.hpp"

namespace fermat {

/// Sums that have the same bits in any order, and so for any number of threads, ranks and blocks of
/// a device: every term is cut to a whole multiple of a quantum q = 2^-e, and whole numbers are
/// added. With n terms of at most `largest`, e is the greatest for which no sum can reach 2^62; a
/// sum is then wrong by less than n q <= n^2 2^-61 largest.
class FixedScale {
  public:
    FixedScale() = default;
    FixedScale(double largest, std::int64_t terms) {
        if (largest == 0 || terms <= 0) return;
        if (!std::isfinite(largest)) {
            down_ = std::nan("");  // and so is every sum
            return;
        }
        const int above = std::ilogb(largest) + 1 + std::ilogb(static_cast<double>(terms)) + 1;
        constexpr int widest = 1000;  // the quantum and its inverse are numbers
        const int e = 62 - above > widest ? widest : 62 - above;
        up_ = std::ldexp(1.0, e);
        down_ = std::ldexp(1.0, -e);
    }

    FERMAT_HD std::int64_t of(double term) const { return static_cast<std::int64_t>(term * up_); }
    FERMAT_HD double value(std::int64_t sum) const { return static_cast<double>(sum) * down_; }

  private:
    double up_ = 0;
    double down_ = 0;
};

}  // namespace fermat
