#pragma once

#include <array>
#include <optional>

#include "model/model.hpp"
#include "model/phase.hpp"

namespace fermat {

/// What the phases of a survey travel in: one model per phase, all on one grid. Solvers, tracers
/// and integrators know one phase, and get its model. Copies share the velocities.
class Medium {
  public:
    /// One velocity, for whichever single phase a survey has.
    Medium(const Model& model) : models_{model, std::nullopt} {}  // NOLINT: a model is a medium
    /// Throws InputError if the models differ in their grid, or one is air where the other is not.
    Medium(const Model& p, const Model& s);
    /// S velocities are those of P divided by `vp_over_vs`, which must be > 1.
    static Medium of_ratio(const Model& p, double vp_over_vs);

    const Grid& grid() const { return models_[0]->grid(); }
    const Place& place() const { return models_[0]->place(); }
    bool has_two_phases() const { return models_[1].has_value(); }
    /// The model of a phase; a medium of one velocity has the same for every phase.
    const Model& of(Phase phase) const;

  private:
    std::array<std::optional<Model>, phase_count> models_;
};

}  // namespace fermat
