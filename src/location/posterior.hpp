#pragma once

#include <cstdint>
#include <vector>

#include "core/random_stream.hpp"
#include "location/octree.hpp"
#include "location/refine.hpp"

namespace fermat {

/// Places drawn from the probability of an event's place, all of equal weight.
struct Posterior {
    std::vector<Vec3> places;
    std::vector<double> log_density;  ///< of each place, up to the constant of the likelihood
    Vec3 mean;
    Matrix3 covariance{};
    /// The region of a probability holds the places whose log density is at least this.
    double least_68 = 0;
    double least_95 = 0;
    double effective = 0;  ///< independent draws that the samples are worth
};

/// Draws `count` places: from the cells of an oct-tree by their mass, then resampled by the exact
/// density, so that the cells' sizes do not matter. Several peaks are all met.
Posterior sample_posterior(const Likelihood& likelihood, const Region& region,
                           std::vector<TreeCell> first, int tree_cells, int count,
                           RandomStream& random, Likelihood::Work& work);

}  // namespace fermat
