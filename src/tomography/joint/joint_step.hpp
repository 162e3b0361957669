#pragma once

#include <span>
#include <vector>

#include "core/random_stream.hpp"
#include "tomography/gauss_newton/conjugate_gradients.hpp"
#include "tomography/gauss_newton/linear_step.hpp"
#include "tomography/gauss_newton/pick_matrix.hpp"
#include "tomography/gauss_newton/roughness.hpp"
#include "tomography/gauss_newton/spectral.hpp"
#include "tomography/joint/difference_rows.hpp"
#include "tomography/joint/event_blocks.hpp"
#include "tomography/joint/station_terms.hpp"

namespace fermat {

/// The unknowns of a joint inversion in one vector: changes of ln(slowness of P); with two phases,
/// changes of ln(Vp/Vs) on the same nodes; terms of stations; four numbers per event. S slowness
/// changes by the sum of the first two, so that roughness of the second is roughness of Vp/Vs, and
/// where S says nothing Vs follows Vp.
struct JointLayout {
    std::size_t grid = 0;  ///< unknowns of one velocity
    bool has_ratio = false;
    bool finds_velocity = true;  ///< the first (only, in surveys of one phase) velocity
    bool finds_ratio = false;
    std::size_t terms = 0;
    std::size_t events = 0;

    std::size_t velocities() const { return has_ratio ? 2 * grid : grid; }
    /// Unknowns before those of events.
    std::size_t solved() const { return velocities() + terms; }
    std::size_t size() const { return solved() + event_unknowns * events; }

    std::span<const double> velocity_of(std::span<const double> x) const { return x.first(grid); }
    std::span<const double> ratio_of(std::span<const double> x) const {
        return x.subspan(grid, velocities() - grid);
    }
    std::span<const double> terms_of(std::span<const double> x) const {
        return x.subspan(velocities(), terms);
    }
    std::span<const double> events_of(std::span<const double> x) const {
        return x.subspan(solved(), event_unknowns * events);
    }
};

/// What all steps of a run share.
struct JointParts {
    const Unknowns& unknowns;
    const Roughness& velocity_roughness;
    const Roughness& ratio_roughness;
    double ratio_weight;  ///< of the roughness of Vp/Vs, in that of velocity
    const JointLayout& layout;
    const StationTerms& terms;
    const EventBlocks& events;
    int threads;
    const DifferenceRows* differences = nullptr;  ///< where there are any
};

/// The step of Gauss-Newton by all unknowns but those of events, which are separated (see
/// EventBlocks): conjugate gradients on
///
///     (A^T Q A + (lambda + damping) R) d = A^T Q r - lambda R m.
///
/// The same bits for any number of threads and ranks.
class JointStep {
  public:
    explicit JointStep(const JointParts& parts);

    const JointParts& parts() const { return parts_; }

    /// `rows`: by slowness of P, and of S behind them. `row_weights`: of picks, as in `rows`. `m`:
    /// what roughness is of. Gives d, and what it leaves of the residuals in `left`.
    LinearSolution solve(const PickMatrix& rows, std::span<const double> row_weights,
                         std::span<const double> residual, std::span<const double> m,
                         const StepWeights& weights, const SolveLimits& limits,
                         std::vector<double>& left);
    /// The step of all unknowns where differences couple events, so that these cannot be separated:
    /// conjugate gradients on all normal equations at once, with A and H side by side and S of
    /// DifferenceRows between them. `right`: its right side. d holds events too.
    LinearSolution solve_coupled(const PickMatrix& rows, std::span<const double> row_weights,
                                 std::span<const double> right, std::span<const double> m,
                                 const StepWeights& weights, const SolveLimits& limits);

    // For what can be trusted of a run: the problem of all unknowns, d holding events too.
    /// (A^T S A + lambda R)^-1 right.
    LinearSolution solve_right(const PickMatrix& rows, std::span<const double> row_weights,
                               std::vector<double> right, double lambda, const SolveLimits& limits);
    /// A^T S A change.
    std::vector<double> seen_by_picks(const PickMatrix& rows, std::span<const double> row_weights,
                                      const std::vector<double>& change, double lambda);
    /// A^T S^(1/2) e of standard normal e: noise of picks and differences as it comes through.
    std::vector<double> noise_right(const PickMatrix& rows, std::span<const double> row_weights,
                                    RandomStream& random, double lambda);
    /// m^T R m of velocities, and of Vp/Vs with its weight.
    double roughness_of(std::span<const double> m) const;

  private:
    double picks_share() const;

    JointParts parts_;
    SpectralSolver velocity_spectral_;
    SpectralSolver ratio_spectral_;
};

}  // namespace fermat
