#pragma once

#include "core/field.hpp"
#include "tomography/layers/invert_layers.hpp"

namespace fermat {

/// Rays of the picks that were used in each cell of the grid, in the medium that was found.
Field<float> layer_coverage(const LayerInversion& found, const PhasePicks& picks,
                            const LayerInversionOptions& options, const Execution& execution);

}  // namespace fermat
