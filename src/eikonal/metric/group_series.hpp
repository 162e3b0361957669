#pragma once

#include <cstddef>

#include "eikonal/lanes.hpp"
#include "model/thomsen.hpp"

namespace fermat {

/// The square of Thomsen's group slowness as a function of x = cos^2 of the angle to the axis: with
/// it (time along d)^2 = |d|^2 G(x). group_time() finds one value by iteration; a series of
/// Chebyshev polynomials gives G and its slope in few operations, for a register of places at once.
class GroupSeries {
  public:
    GroupSeries() = default;
    explicit GroupSeries(const Thomsen& medium);

    /// False where so many terms do not reach the accuracy of double precision.
    FERMAT_HD bool converges() const { return size_ > 0; }
    std::size_t size() const { return size_; }

    template <class V>
    struct Value {
        V value;
        V slope;  ///< dG/dx
    };
    /// Clenshaw's recurrence for the sum and its derivative.
    template <class V>
    FERMAT_HD_INLINE Value<V> at(V x) const {
        const V t = 2 * x - 1;
        V b1{};
        V b2{};
        V d1{};
        V d2{};
        for (std::size_t k = size_ - 1; k > 0; --k) {
            const V d = 2 * (b1 + t * d1) - d2;
            d2 = d1;
            d1 = d;
            const V b = 2 * t * b1 - b2 + terms_[k];
            b2 = b1;
            b1 = b;
        }
        return {terms_[0] + t * b1 - b2, 2 * (b1 + t * d1 - d2)};
    }

  private:
    static constexpr int points = 96;
    static constexpr std::size_t most_terms = 2 * points / 3;

    double terms_[most_terms] = {};
    std::size_t size_ = 0;
};

}  // namespace fermat
