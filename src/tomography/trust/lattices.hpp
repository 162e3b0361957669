#pragma once

#include <cstdint>

#include "tomography/gauss_newton/unknowns.hpp"

namespace fermat {

/// Unknowns that are s apart along each axis, in s^2 or s^3 sets, for the largest s that a number
/// of solves allows: what resolution is probed with (see sampled_trust).
class Lattices {
  public:
    Lattices(const Unknowns& unknowns, int solves) : shape_(unknowns.grid().shape) {
        const bool flat = unknowns.grid().is_2d();
        const auto sets_of = [&](int step) { return flat ? step * step : step * step * step; };
        while (sets_of(step_ + 1) <= solves) ++step_;
        sets_ = sets_of(step_);
    }

    int count() const { return sets_; }
    int set_of(std::int64_t place) const { return set_of(place, 0); }
    /// Whether a place is as far as can be from all unknowns of a set: half of s along each axis.
    bool is_between(std::int64_t place, int set) const {
        return step_ > 1 && set_of(place, step_ / 2) == set;
    }

  private:
    int set_of(std::int64_t place, int shift) const {
        const auto x = static_cast<int>(place / (std::int64_t{shape_.y} * shape_.z)) + shift;
        const auto y = static_cast<int>(place / shape_.z % shape_.y) + shift;
        const auto z = static_cast<int>(place % shape_.z) + shift;
        const int flat = x % step_ * step_ + z % step_;
        return shape_.y == 1 ? flat : flat * step_ + y % step_;
    }

    Shape shape_;
    int step_ = 1;
    int sets_ = 1;
};

}  // namespace fermat
