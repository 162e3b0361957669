#pragma once

#include <cstdint>

#include "core/monitor.hpp"
#include "eikonal/factored_source.hpp"
#include "model/model.hpp"

namespace fermat {

/// What a solve took: how often a block was visited, and the sweeps over blocks in all visits.
struct FimWork {
    std::int64_t visits = 0;
    std::int64_t sweeps = 0;
};

/// The fast iterative method (Jeong & Whitaker 2008) on blocks of nodes with an active list. Fills
/// tau, `unreached` where no wave arrives; the same bits for any number of threads.
template <class Real>
FimWork fim_solve(const Model& model, const FactoredSource& source, int order, int threads,
                  FieldView<Real> tau, Monitor& monitor);

}  // namespace fermat
