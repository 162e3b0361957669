#pragma once

#include <memory>

#include "core/field.hpp"
#include "core/monitor.hpp"
#include "eikonal/factored_source.hpp"
#include "model/model.hpp"

namespace fermat {

/// `fim` in OpenGL compute shaders (eikonal/shaders), for cards of any vendor: tiles of nodes, each
/// swept by a work group in shared memory. It solves points on nodes only, one after the other, in
/// single precision.
class GlFim {
  public:
    /// Throws InputError where OpenGL is not in this build or not on this machine, and ComputeError
    /// where the device has no memory for the model.
    GlFim(const Model& model, int order);
    GlFim(const GlFim&) = delete;
    GlFim& operator=(const GlFim&) = delete;
    ~GlFim();

    /// tau of a point source, infinite where no wave arrives, into a field of the grid's shape.
    /// Returns the seconds of the passes, transfers excluded.
    double solve(const FactoredSource& source, FieldView<float> tau, Monitor& monitor);

    /// Passes over the lists of the last solve.
    int passes() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace fermat
