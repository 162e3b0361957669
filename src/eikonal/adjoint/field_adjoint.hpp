#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "eikonal/adjoint/adjoint.hpp"
#include "eikonal/adjoint/huge_array.hpp"

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

/// Memory of one field that adjoints use one after another.
class AdjointSpace {
  public:
    double* room_for(std::size_t count) {
        if (!values_ || count_ < count) {
            values_.reset();
            values_.emplace(count);
            count_ = count;
        }
        return values_->data();
    }

  private:
    std::optional<HugeArray<double>> values_;
    std::size_t count_ = 0;
};

/// The adjoint of one field: adds dJ/d(slowness of the nodes) to `by_slowness`.
template <class Real>
FieldAdjoint field_adjoint(const AdjointSurvey& survey, std::size_t source,
                           const BasicTimeField<Real>& field, const TimeDerivatives& derivatives,
                           FieldView<double> by_slowness, AdjointSpace& space,
                           const Execution& execution);

}  // namespace fermat
