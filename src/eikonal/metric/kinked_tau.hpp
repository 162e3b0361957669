#pragma once

#include "eikonal/metric/metric_field.hpp"

namespace fermat {

/// tau between nodes of a field with rows of jumps. Where a wave overtakes another one, times are
/// the least of two smooth functions and have a kink inside a cell: a multilinear value is too
/// early there. So, line by line of nodes (Harten 1989, subcell resolution): if both sides of a
/// cell, continued into it by their own curvature, are later at the cell's other node than the node
/// is, the time is the earlier of both continuations. Elsewhere it is cubic, or quadratic on the
/// smoother side. No line crosses a row of jumps, where the slope of times jumps.

/// Six nodes of a line in order, of which the point lies `part` of a step behind the third. The
/// first two and the last two may be missing, the outer ones first: not a number.
double kinked_value(const double (&nodes)[6], double part);

/// tau at a point in grid coordinates; infinite if a corner of its cell is not reached.
double kinked_tau(const MetricField& field, Vec3 q);

}  // namespace fermat
