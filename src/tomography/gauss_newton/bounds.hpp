#pragma once

#include <cmath>

namespace fermat {

/// The unknown u of a sample and its log-slowness y = ln(1 / v). Within bounds a < y < b, with
/// D = b - a,
///
///     y = a + D / (1 + exp(-4 u / D)),    dy/du = 4 (y - a) (b - y) / D^2,
///
/// which has slope 1 in the middle and never reaches a bound; without bounds y = u.
class VelocityBounds {
  public:
    /// No bounds.
    VelocityBounds() = default;
    /// 0 < low < high, finite.
    VelocityBounds(double low, double high)
        : bounded_(true), low_(low), high_(high), a_(-std::log(high)), d_(std::log(high / low)) {}

    bool bounded() const { return bounded_; }
    double low() const { return low_; }
    double high() const { return high_; }

    double unknown_of(double log_slowness) const {
        if (!bounded_) return log_slowness;
        const double part = (log_slowness - a_) / d_;
        return d_ / 4 * std::log(part / (1 - part));
    }
    double log_slowness_of(double unknown) const {
        return bounded_ ? a_ + d_ * part_of(unknown) : unknown;
    }
    /// Derivative of the log-slowness by the unknown.
    double slope_at(double unknown) const {
        if (!bounded_) return 1;
        const double part = part_of(unknown);
        return 4 * part * (1 - part);
    }
    /// True within a fiftieth of the bounds' distance, in the logarithm, from one of them.
    bool presses(double unknown) const {
        if (!bounded_) return false;
        const double part = part_of(unknown);
        return part < 0.02 || part > 0.98;
    }

  private:
    double part_of(double unknown) const { return 1 / (1 + std::exp(-4 * unknown / d_)); }

    bool bounded_ = false;
    double low_ = 0;
    double high_ = 0;
    double a_ = 0;
    double d_ = 1;
};

}  // namespace fermat
