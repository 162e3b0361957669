#pragma once

#include <vector>

#include "core/random_stream.hpp"
#include "location/catalogue.hpp"
#include "location/octree.hpp"

namespace fermat {

/// Draws `count` places: from the cells of an oct-tree by their mass, then resampled by the exact
/// density, so that the cells' sizes do not matter. Several peaks are all met.
Posterior sample_posterior(const Likelihood& likelihood, const Region& region,
                           std::vector<TreeCell> first, int tree_cells, int count,
                           RandomStream& random, Likelihood::Work& work);

}  // namespace fermat
