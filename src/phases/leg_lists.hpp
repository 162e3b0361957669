#pragma once

#include <span>
#include <vector>

#include "model/layered_medium.hpp"
#include "phases/branch.hpp"
#include "phases/branch_ray.hpp"

namespace fermat {

/// A number that points share which have the same ways: their layer and whether they lie on the
/// interface on top of it.
inline int kind_of_end(int layer, bool on_top) { return 2 * layer + (on_top ? 1 : 0); }

/// Ways between two kinds of points. A point on an interface, as an instrument on the seafloor,
/// lies in the layer above it too: what leaves it or comes to it there needs no leg to that
/// interface.
std::vector<Legs> legs_between(const Branch& branch, const LayeredMedium& medium, int from, int to);

/// Whether a wave is reflected between two of the legs.
bool has_reflections(const Legs& legs);

/// The legs of the same path from its other end.
Legs reversed(const Legs& legs);

/// Whether the reverse of each of these ways is one of them.
bool are_reversible(std::span<const Legs> ways);

/// An order of places: which end of a path comes first.
bool is_before(Vec3 a, Vec3 b);

/// Makes a ray one from its receiver to its source.
void turn_round(BranchRay& ray);

}  // namespace fermat
