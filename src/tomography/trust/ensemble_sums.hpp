#pragma once

#include "tomography/trust/ensemble.hpp"

namespace fermat {

/// Means and squares of members as they come, by Welford's (1962) and West's (1979) updates.
class EnsembleSums {
  public:
    EnsembleSums(EnsembleKind kind, const Model& model) : kind_(kind), model_(model) {}

    void add(const EnsembleMember& member);
    /// Puts mean and spreads into `ensemble`.
    void finish(Ensemble& ensemble) const;

  private:
    struct Sum {
        double weight = 0;
        double log_mean = 0;
        double log_squares = 0;
        double mean = 0;
        double squares = 0;
    };

    EnsembleKind kind_;
    const Model& model_;
    int members_ = 0;
    std::vector<Sum> sums_;
};

}  // namespace fermat
