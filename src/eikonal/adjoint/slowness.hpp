#pragma once

#include <cmath>
#include <limits>
#include <vector>

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
    /// All of them, which `made` holds unless they were given.
    const double* values(std::vector<double>& made) const {
        if (is_exact()) return exact_.data();
        made.resize(velocity_.size());
        for (std::size_t n = 0; n < made.size(); ++n) made[n] = (*this)[n];
        return made.data();
    }
    bool is_exact() const { return exact_.data() != nullptr; }
    /// The slownesses as given; without data if they were not.
    FieldView<const double> exact() const { return exact_; }

  private:
    FieldView<const float> velocity_;
    FieldView<const double> exact_;
};

}  // namespace fermat
