#pragma once

#include <span>
#include <vector>

#include "model/model.hpp"
#include "model/phase.hpp"

namespace fermat {

/// What the phases of a survey travel in: one model per phase, all on one grid. Solvers, tracers
/// and integrators know one phase, and get its model. Copies share the velocities.
class Medium {
  public:
    /// One velocity, for whichever single phase a survey has.
    Medium(const Model& model) : models_{model} {}  // NOLINT: a model is a medium
    /// Throws InputError if the models differ in their grid, or one is air where the other is not.
    Medium(const Model& p, const Model& s);
    /// S velocities are those of P divided by `vp_over_vs`, which must be > 1.
    static Medium of_ratio(const Model& p, double vp_over_vs);

    /// The phases that have a velocity of their own, P first. A medium of one velocity has that of
    /// whichever phase is asked for.
    std::span<const Phase> phases() const { return std::span(all_phases).first(models_.size()); }
    /// The model of a phase; a medium of one velocity has the same for every phase.
    const Model& of(Phase phase) const {
        return models_[models_.size() > 1 ? static_cast<std::size_t>(phase) : 0];
    }
    /// The model of the first phase. Grid, coordinates and air are those of all.
    const Model& first() const { return models_.front(); }
    const Grid& grid() const { return first().grid(); }
    const Place& place() const { return first().place(); }

  private:
    std::vector<Model> models_;  ///< by phase
};

}  // namespace fermat
