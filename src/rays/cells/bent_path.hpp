#pragma once

#include <span>
#include <vector>

#include "core/vec3.hpp"
#include "model/model.hpp"

namespace fermat {

/// The box in which a point of a path may move. Along axes that it must not leave, low == high.
struct PointReach {
    Vec3 low;
    Vec3 high;
};

/// A path of straight pieces, each with one slowness. Its inner points lie where the slowness
/// changes or on an edge of cells, and slide on the face or the edge that they lie on.
struct BentPath {
    std::vector<Vec3> points;
    std::vector<PointReach> reach;  ///< of each point
    std::vector<double> slowness;   ///< of the pieces between the points: one fewer
};

/// How far a point may slide.
enum class Sliding {
    on_its_face,   ///< on the face that its two cells share
    along_bodies,  ///< on the faces beside it too that part cells of the same two velocities
};

/// Cuts a line where velocity changes from cell to cell. Neighbouring cells of one velocity are one
/// body, through which the path runs straight. Empty if the line leads through air.
BentPath bent_path(const Model& model, std::span<const Vec3> line, Sliding sliding);

/// Slides the points until the time through the same bodies is least. That time is convex in the
/// points: sum of s |p - q| over the pieces. The steps are those of Newton, inside the boxes.
void slide(BentPath& path);

}  // namespace fermat
