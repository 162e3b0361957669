#pragma once

#include <cstddef>
#include <vector>

#include "eikonal/source_paths.hpp"
#include "model/model.hpp"

namespace fermat {

/// What a descent where velocity jumps between cells owes to Fermat's principle: near the source
/// the ray, the points from `first` on, takes the shortest path, and then its time is made least
/// cell by cell as it stands.
void settle_in_cells(const Model& model, const SourcePaths& near, std::vector<Vec3>& points,
                     std::size_t first);

}  // namespace fermat
