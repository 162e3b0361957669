#pragma once

#include <cmath>
#include <limits>

#include "model/model.hpp"

namespace fermat {

/// The slowness of a model's nodes in double precision: as given beside the model, or one over its
/// velocity. Infinite in air.
class NodeSlowness {
  public:
    explicit NodeSlowness(const Model& model) : velocity_(model.velocity()) {}
    /// `exact` holds the slownesses that the model's velocities are rounded from; infinite is air.
    NodeSlowness(const Model& model, FieldView<const double> exact)
        : velocity_(model.velocity()), exact_(exact) {}

    double operator[](std::size_t node) const {
        if (exact_.data() != nullptr) return exact_[node];
        const double v = velocity_[node];
        return v > 0 ? 1 / v : std::numeric_limits<double>::infinity();
    }
    double operator()(Index3 node) const { return (*this)[velocity_.shape().offset(node)]; }
    /// Calls use(n, velocity) for some nodes in a row, 0 in air.
    template <class Use>
    void for_each_velocity(std::size_t first, int count, Use use) const {
        if (exact_.data() != nullptr) {
            const double* const s = exact_.data() + first;
            for (int n = 0; n < count; ++n) use(n, 1 / s[n]);
        } else {
            const float* const v = velocity_.data() + first;
            for (int n = 0; n < count; ++n) use(n, v[n]);
        }
    }
    bool is_exact() const { return exact_.data() != nullptr; }
    /// The slownesses as given; without data if they were not.
    FieldView<const double> exact() const { return exact_; }

  private:
    FieldView<const float> velocity_;
    FieldView<const double> exact_;
};

}  // namespace fermat
