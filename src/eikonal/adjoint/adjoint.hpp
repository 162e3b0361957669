#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/execution.hpp"
#include "eikonal/eikonal.hpp"

namespace fermat {

class NodeSlowness;
class ReceiverHats;

/// Derivatives of an objective J of first-arrival times, by the discrete adjoint of the factored
/// scheme: from dJ/dT at nodes and receivers to dJ/d(slowness) of every node or cell, of source
/// and receiver positions and of start times, at the price of about one more solve, whatever the
/// number of receivers. They are the derivatives of the computed times themselves, exact to
/// rounding where the scheme is differentiable; where two waves meet, or at a source on a node,
/// they are those of one of the branches.

/// The medium, the sources and the receivers of differentiable times.
class AdjointSurvey {
  public:
    /// `exact`, where it has data, holds the slownesses of nodes (or cells, of a model of cells)
    /// that the model's velocities are rounded from, and must outlive the survey, as the model
    /// must. Throws InputError for sources and receivers outside the box or in air, for solvers
    /// whose scheme is another one, and for models whose velocity jumps between cells.
    AdjointSurvey(const Model& model, FieldView<const double> exact,
                  std::vector<PointSource> sources, std::vector<Vec3> receivers,
                  const EikonalOptions& options);
    ~AdjointSurvey();

    const Model& model() const { return model_; }
    std::span<const PointSource> sources() const { return sources_; }
    std::span<const Vec3> receivers() const { return receivers_; }
    const ReceiverHats& hats() const { return *hats_; }
    const EikonalOptions& options() const { return options_; }
    FieldView<const double> exact() const { return exact_; }
    /// The slowness of the nodes.
    const NodeSlowness& slowness() const { return *slowness_; }

    /// The field of a source, on the CPU.
    template <class Real>
    BasicTimeField<Real> solve(std::size_t source, const Execution& execution) const;

  private:
    const Model& model_;
    FieldView<const double> exact_;
    Field<double> from_cells_;
    std::unique_ptr<const NodeSlowness> slowness_;
    std::vector<PointSource> sources_;
    std::vector<Vec3> receivers_;
    std::unique_ptr<const ReceiverHats> hats_;
    EikonalOptions options_;
};

/// Moves receivers to the places that the adjoint uses: into the plane of a 2-D grid and into its
/// closed box. Throws InputError for those outside.
void place_receivers(const Grid& grid, std::span<Vec3> receivers);

/// dJ/dT of the field of one source. What no wave reaches counts for nothing.
struct TimeDerivatives {
    FieldView<const double> nodes;      ///< without data: none
    std::span<const double> receivers;  ///< one for each, or none
};

/// The derivatives of J by everything that the times depend on.
struct AdjointGradient {
    Field<double> slowness;           ///< of nodes, or of cells in a model of cells
    std::vector<Vec3> sources;        ///< by position
    std::vector<double> start_times;  ///< one per source
    std::vector<Vec3> receivers;      ///< by position, all sources together
    /// Nodes whose time does not solve its equation, so that no derivative through them is exact:
    /// where fronts collide in rough media, second order may not settle. 0 of first order.
    std::int64_t unsettled = 0;
    /// By the anisotropy of every node, as AnisotropyValues has it: the entries of the tensor, or
    /// epsilon, delta and the axis. Empty in isotropic media.
    std::vector<Field<double>> anisotropy{};
};

/// dJ/dT by source: may look at the field, which is solved before. Called from any thread.
template <class Real>
using Derive = std::function<TimeDerivatives(std::size_t source, const BasicTimeField<Real>&)>;

/// Solves every source, asks for dJ/dT and adds the derivatives up in the order of sources. Memory
/// is a few fields per thread, whatever the number of sources. The result does not depend on the
/// number of threads.
template <class Real>
AdjointGradient adjoint(const AdjointSurvey& survey, const Derive<Real>& derive,
                        const Execution& execution = {});

/// The same from fields that were solved before.
template <class Real>
AdjointGradient adjoint(const AdjointSurvey& survey, std::span<const BasicTimeField<Real>> fields,
                        const Derive<Real>& derive, const Execution& execution = {});

/// Why a CUDA device cannot compute the adjoint of a survey; empty if it can.
std::string adjoint_obstacle(const AdjointSurvey& survey);

/// dJ/dT of an objective, source by source: what both devices can ask for. Either may be missing.
struct TimeObjective {
    /// dJ/dT on the nodes.
    std::function<FieldView<const double>(std::size_t source)> nodes;
    /// dJ/dT at the receivers from the times there, which are infinite where no wave arrives.
    std::function<void(std::size_t source, std::span<const double> times, std::span<double> by)>
        receivers;
    /// Whether dJ/d(source position) is wanted; a device leaves it NaN if not.
    bool by_position = true;
};

/// The adjoint in single precision, on the CPU or on a CUDA device, which takes batches of sources.
/// On the CPU the functions are called from any thread, else from one.
AdjointGradient adjoint(const AdjointSurvey& survey, const TimeObjective& objective,
                        const Execution& execution = {});

}  // namespace fermat
