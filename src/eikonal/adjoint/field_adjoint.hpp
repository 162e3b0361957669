#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "eikonal/adjoint/adjoint.hpp"

namespace fermat {

/// dJ of one source's field, but for the slowness.
struct FieldAdjoint {
    Vec3 source;
    double start_time = 0;
    std::vector<Vec3> receivers;  ///< empty where J asks for none
    std::int64_t unsettled = 0;   ///< as in AdjointGradient
};

/// Throws InputError for dJ/dT that is not finite where a wave arrives.
void require_derivative(double value, const char* where, std::size_t number);

/// The adjoint of one field: adds dJ/d(slowness of the nodes) to `by_slowness`.
template <class Real>
FieldAdjoint field_adjoint(const AdjointSurvey& survey, std::size_t source,
                           const BasicTimeField<Real>& field, const TimeDerivatives& derivatives,
                           FieldView<double> by_slowness, const Execution& execution);

}  // namespace fermat
