#pragma once

#include <optional>

#include "eikonal/metric/layered_rays.hpp"
#include "model/model.hpp"

namespace fermat {

/// A box of nodes, both ends included.
struct NodeRange {
    Index3 first;
    Index3 last;
};

/// The surroundings of a source in a spherical model in which velocity depends on depth alone.
struct LayeredSurroundings {
    NodeRange served;     ///< nodes whose times the layers tell
    NodeRange known;      ///< the layered part, half as wide again
    Vec3 direction;       ///< of the source, from the centre of the sphere
    double farthest = 0;  ///< served node from the source, in radians

    /// The angle of a place from the source, in radians.
    double angle_to(Vec3 place) const;
};

/// Nothing where no row of jumps lies within `reach` nodes of a point in grid coordinates, where
/// velocity varies along a row within half as much more, where a node is air and for anisotropic
/// media.
std::optional<LayeredSurroundings> layered_surroundings(const Model& model, Vec3 source, int reach);

/// A 2-D section through the source of a spherical model, where velocity round the source depends
/// on depth alone: times there depend on the angle from the source and on depth. Its steps are a
/// quarter of the model's.
struct LayeredSection {
    Model model;
    Vec3 source;  ///< in the section

    /// The point of the section at an angle from the source, in radians, and a depth.
    Vec3 point(double angle, double depth) const { return point(source, angle, depth); }
    static Vec3 point(Vec3 source, double angle, double depth);
};

/// Nothing in 2-D and for angles that are too wide for it.
std::optional<LayeredSection> layered_section(const Model& model, Vec3 source,
                                              const LayeredSurroundings& round);

/// The velocity of the surroundings by depth, from row `round.known.first.z` on.
LayeredSphere layered_sphere(const Model& model, const LayeredSurroundings& round);

}  // namespace fermat
