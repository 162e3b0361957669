#pragma once

#include "core/field.hpp"
#include "core/monitor.hpp"
#include "model/model.hpp"

namespace fermat {

/// First arrivals on the nodes, infinite where no wave arrives, by finite differences in an
/// expanding box (Vidale 1988, 1990) with head-wave operators and reverse propagation (Hole & Zelt
/// 1995): the scheme behind the Hole-Vidale tomography.
///
/// The source lies in the box of the grid and not in air. Near the source, times start as those of
/// straight rays. Serial.
template <class Real>
Field<Real> vidale_times(const Model& model, Vec3 source, Monitor& monitor);

}  // namespace fermat
