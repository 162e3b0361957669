#pragma once

#include <vector>

#include "rays/cells/line_times.hpp"

namespace fermat {

/// Ways in which a path gets other cells than those it leads through. Each lowers its time.

enum class Straight {
    single_points,  ///< parts between a point's neighbours
    all,            ///< long parts too
};

/// Replaces parts of a line by straight ones that are not later.
void straighten(const LineTimes& times, std::vector<Vec3>& line, Straight parts);

/// Where a straight part begins or ends beside a faster cell, leads it along the face between them:
/// a head wave, which leaves the face at the critical angle. Returns whether the line became
/// earlier.
bool run_along_faces(const LineTimes& times, std::vector<Vec3>& line);

/// Where a line bends on an edge of cells (at a corner, in 2-D), leads it round the edge, through
/// the cells on one side of it or on the other, or moves the point along the edge. Bends that it
/// tried in vain are not tried again.
class EdgeDetours {
  public:
    explicit EdgeDetours(const LineTimes& times) : times_(times) {}

    /// Returns whether the line became earlier.
    bool take(std::vector<Vec3>& line);

  private:
    struct Bend {
        Vec3 before;
        Vec3 at;
        Vec3 behind;
    };
    bool tried(const Bend& bend) const;

    const LineTimes& times_;
    std::vector<Bend> in_vain_;
};

}  // namespace fermat
