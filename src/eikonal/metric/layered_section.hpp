#pragma once

#include <optional>

#include "model/model.hpp"

namespace fermat {

/// A 2-D section through the source of a spherical model, where velocity round the source depends
/// on depth alone: times there depend on the angle from the source and on depth. Its steps are a
/// quarter of the model's.
struct LayeredSection {
    Model model;
    Vec3 source;   ///< in the section
    Index3 first;  ///< of the nodes whose times the section has
    Index3 last;
    Vec3 direction;  ///< of the source, from the centre of the sphere

    /// The point of the section at a place and depth of the whole model.
    Vec3 point(Vec3 place, double depth) const;
};

/// The section for nodes up to `reach` nodes from a point, in grid coordinates. Nothing where no
/// row of jumps lies within that, where velocity varies along a row within half as much more, where
/// a node is air, for anisotropic media and in 2-D.
std::optional<LayeredSection> layered_section(const Model& model, Vec3 source, int reach);

}  // namespace fermat
