#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <span>
#include <vector>

namespace fermat {

/// The memory of L-BFGS (Nocedal 1980): steps s and the changes y of the gradient that they made,
/// of which two loops make a direction of descent. y is kept of the data alone; what the roughness
/// adds, lambda R s, is known for any lambda, so that the memory outlives its changes.
class Lbfgs {
  public:
    using Vector = std::vector<double>;
    using Apply = std::function<Vector(const Vector&)>;

    static constexpr std::size_t most_pairs = 10;

    struct Pair {
        Vector step;
        Vector change;  ///< of the data's gradient
    };

    /// Drops the oldest pair where there are enough.
    void remember(Pair pair);
    void forget() { pairs_.clear(); }
    const std::deque<Pair>& pairs() const { return pairs_; }

    /// -H gradient, where H is near the inverse of the Hessian. `roughness` applies lambda R,
    /// `precondition` the first guess of H. Pairs without positive curvature are passed over.
    Vector direction(const Vector& gradient, const Apply& roughness,
                     const Apply& precondition) const;

  private:
    std::deque<Pair> pairs_;
};

/// The sum of products, in one order.
double inner(std::span<const double> a, std::span<const double> b);

}  // namespace fermat
