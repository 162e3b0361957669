#pragma once

#include <vector>

#include "core/field.hpp"
#include "core/vec3.hpp"

namespace fermat {

/// Edges that the start model of a line has along z, as a layer over rock: a change from it that is
/// smooth keeps them where they are, and so nothing else tells how wrong their places are.
class StartEdges {
  public:
    /// `log_start`: logarithm of the start model, per sample; not a number in air.
    StartEdges(const std::vector<double>& log_start, Shape shape, Vec3 spacing);

    /// Whether half of the columns have one.
    bool any() const { return any_; }
    /// What a misplaced edge does to a sample, relative to velocity: half of the jump at the edge,
    /// and less up to `length` from it.
    double deviation_at(Index3 at, double length) const;

  private:
    Shape shape_;
    double step_;
    std::vector<double> jump_;  ///< per sample, of the two cells round it; 0 where it is no edge
    bool any_ = false;
};

}  // namespace fermat
