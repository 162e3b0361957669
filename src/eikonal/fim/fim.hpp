#pragma once

#include <cstdint>

#include "core/monitor.hpp"
#include "eikonal/factored_source.hpp"
#include "model/model.hpp"

namespace fermat {

/// The cost of a solve: the number of visits to blocks, and the number of sweeps in all visits.
struct FimWork {
    std::int64_t visits = 0;
    std::int64_t sweeps = 0;
};

/// The fast iterative method (Jeong & Whitaker 2008) on blocks of nodes with an active list. Fills
/// tau; nodes that no wave reaches are `unreached`. The result has the same bits for any number of
/// threads. `exact`, for double precision, holds the slownesses of nodes that the velocities of the
/// model are rounded from; infinite in air.
template <class Real>
FimWork fim_solve(const Model& model, const FactoredSource& source, int order, int threads,
                  FieldView<Real> tau, Monitor& monitor, FieldView<const double> exact = {});

}  // namespace fermat
