#pragma once

#include <vector>

namespace fermat {

/// A step to a smoother model that passed the target, of which a part is tried: misfit grows along
/// the step, so that a part of it meets the target, and a run ends there instead of at the rougher
/// model before it.
class ShorterStep {
  public:
    /// The model `beyond` was tried from `x`; chi2 before, after it, and the target. False once
    /// enough parts were tried, or where no part is expected to meet the target.
    bool shorten(const std::vector<double>& x, const std::vector<double>& beyond, double before,
                 double after, double target);
    bool is_open() const { return !step_.empty(); }
    /// The model to try next.
    std::vector<double> from(const std::vector<double>& x) const;
    /// Weight of the roughness that the part stands for, between those of the models at its ends;
    /// that of the far end where none is open.
    double weight(double near, double far) const;
    /// A model was accepted.
    void reset() { *this = {}; }

  private:
    std::vector<double> step_;  ///< all of it
    double part_ = 1;
    int tried_ = 0;
};

}  // namespace fermat
