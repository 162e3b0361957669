#pragma once

#include "core/field.hpp"
#include "model/model.hpp"

namespace fermat {

/// Vp/Vs of two models of one grid, on nodes or in cells as they are; 0 in air.
inline Field<float> vp_vs_of(const Model& p, const Model& s) {
    Field<float> ratio(p.given().shape());
    for (std::size_t n = 0; n < ratio.size(); ++n) {
        ratio[n] = s.given()[n] > 0 ? p.given()[n] / s.given()[n] : 0.0F;
    }
    return ratio;
}

}  // namespace fermat
