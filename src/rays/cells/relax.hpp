#pragma once

#include <cstddef>
#include <vector>

#include "eikonal/source_paths.hpp"
#include "model/model.hpp"

namespace fermat {

/// Improves the part of a ray from point `first` on, where velocity jumps between cells. The ray
/// takes the shortest path near the source; then its points move until its time through the same
/// cells is least.
void settle_in_cells(const Model& model, const SourcePaths& near, std::vector<Vec3>& points,
                     std::size_t first);

}  // namespace fermat
