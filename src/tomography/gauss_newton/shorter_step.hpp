#pragma once

#include <vector>

namespace fermat {

/// A step that passed the target, of which a part is tried. Misfit grows along a step to a smoother
/// model and falls along one to a rougher model, so that a part of it meets the target: a run ends
/// there instead of at the rougher model, and goes no further beyond than its last step happened
/// to.
class ShorterStep {
  public:
    /// The model `beyond` was tried from `x`; chi2 before, after it, and the target. False once
    /// enough parts were tried, or where no part is expected to meet the target: chi2 did not pass
    /// it, or hardly did.
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
