#include "tomography/joint/joint_step.hpp"

#include <utility>

#include "tomography/gauss_newton/vectors.hpp"
#include "tomography/joint/ground_system.hpp"

namespace fermat {
namespace {

using Vector = std::vector<double>;

/// The normal equations, without the unknowns of events.
class SeparatedSystem : public GroundSystem {
  public:
    using GroundSystem::GroundSystem;

    Vector zeros() const { return Vector(parts_.layout.solved(), 0.0); }
    void apply(const Vector& in, Vector& out) {
        times(in, along_);
        parts_.events.project(along_, parts_.threads);
        transposed_times(along_, out);
        add_regularisation(in, out);
    }
    void precondition(const Vector& in, Vector& out) { precondition_ground(in, out); }
};

/// The normal equations of all unknowns, where differences couple events.
class CoupledSystem : public GroundSystem {
  public:
    using GroundSystem::GroundSystem;

    Vector zeros() const { return Vector(parts_.layout.size(), 0.0); }
    void apply(const Vector& in, Vector& out) {
        const JointLayout& at = parts_.layout;
        out = seen(in);
        add_regularisation(in, out);
        parts_.events.add_damping(at.events_of(in), events_of(out));
    }
    /// A^T S A v.
    Vector seen(const Vector& v) {
        Vector out = zeros();
        times(v, along_);
        parts_.events.add_times(parts_.layout.events_of(v), along_, parts_.threads);
        if (parts_.differences != nullptr) parts_.differences->apply(along_, parts_.threads);
        transposed(along_, out);
        return out;
    }
    /// A^T y of the ground and H^T y of events.
    void transposed(std::span<const double> y, Vector& out) {
        transposed_times(y, out);
        parts_.events.transposed_times(y, events_of(out), parts_.threads);
    }
    void precondition(const Vector& in, Vector& out) {
        precondition_ground(in, out);
        parts_.events.precondition(parts_.layout.events_of(in), events_of(out));
    }
    std::span<double> events_of(Vector& v) const {
        return std::span(v).subspan(parts_.layout.solved());
    }
};

}  // namespace

JointStep::JointStep(const JointParts& parts)
    : parts_(parts),
      velocity_spectral_(parts.unknowns, parts.velocity_roughness),
      ratio_spectral_(parts.unknowns, parts.ratio_roughness) {}

LinearSolution JointStep::solve(const PickMatrix& rows, std::span<const double> row_weights,
                                std::span<const double> residual, std::span<const double> m,
                                const StepWeights& weights, const SolveLimits& limits,
                                std::vector<double>& left) {
    SeparatedSystem system(parts_, velocity_spectral_, ratio_spectral_, rows, row_weights,
                           weights.lambda + weights.damping);
    left.assign(residual.begin(), residual.end());
    parts_.events.project_residual(left, parts_.threads);
    Vector b = system.zeros();
    system.transposed_times(left, b);
    system.add_roughness(-weights.lambda, m, b);
    system.add_term_damping(-1, m, b);
    Vector d = system.zeros();
    const CgReport report = conjugate_gradients(system, b, d, limits);
    system.times(d, left);
    for (std::size_t n = 0; n < left.size(); ++n) left[n] = residual[n] - left[n];
    return {std::move(d), report.accuracy <= limits.accuracy, report.iterations};
}

LinearSolution JointStep::solve_coupled(const PickMatrix& rows, std::span<const double> row_weights,
                                        std::span<const double> right, std::span<const double> m,
                                        const StepWeights& weights, const SolveLimits& limits) {
    CoupledSystem system(parts_, velocity_spectral_, ratio_spectral_, rows, row_weights,
                         weights.lambda + weights.damping, picks_share());
    Vector b = system.zeros();
    system.transposed(right, b);
    system.add_roughness(-weights.lambda, m, b);
    system.add_term_damping(-1, m, b);
    parts_.events.add_pull(system.events_of(b));
    Vector d = system.zeros();
    const CgReport report = conjugate_gradients(system, b, d, limits);
    return {std::move(d), report.accuracy <= limits.accuracy, report.iterations};
}

LinearSolution JointStep::solve_right(const PickMatrix& rows, std::span<const double> row_weights,
                                      Vector right, double lambda, const SolveLimits& limits) {
    CoupledSystem system(parts_, velocity_spectral_, ratio_spectral_, rows, row_weights, lambda,
                         picks_share());
    Vector d = system.zeros();
    const CgReport report = conjugate_gradients(system, right, d, limits);
    return {std::move(d), report.accuracy <= limits.accuracy, report.iterations};
}

std::vector<double> JointStep::seen_by_picks(const PickMatrix& rows,
                                             std::span<const double> row_weights,
                                             const Vector& change, double lambda) {
    CoupledSystem system(parts_, velocity_spectral_, ratio_spectral_, rows, row_weights, lambda,
                         picks_share());
    return system.seen(change);
}

std::vector<double> JointStep::noise_right(const PickMatrix& rows,
                                           std::span<const double> row_weights,
                                           RandomStream& random, double lambda) {
    CoupledSystem system(parts_, velocity_spectral_, ratio_spectral_, rows, row_weights, lambda,
                         picks_share());
    Vector noise;
    if (parts_.differences != nullptr && parts_.differences->any()) {
        noise = parts_.differences->noise(random);
    } else {
        noise = random.normals(rows.rows());
        for (std::size_t n = 0; n < noise.size(); ++n) {
            if (row_weights[n] == 0) noise[n] = 0;
        }
    }
    Vector right = system.zeros();
    system.transposed(noise, right);
    return right;
}

double JointStep::picks_share() const {
    return parts_.differences == nullptr ? 1 : parts_.differences->share_of_picks();
}

double JointStep::roughness_of(std::span<const double> m) const {
    Vector smooth(parts_.layout.grid);
    const auto part = [&](const Roughness& roughness, std::span<const double> values) {
        roughness.apply(values, smooth, parts_.threads);
        return dot(values, smooth, parts_.threads);
    };
    double sum = part(parts_.velocity_roughness, parts_.layout.velocity_of(m));
    if (parts_.layout.has_ratio) {
        sum += parts_.ratio_weight * part(parts_.ratio_roughness, parts_.layout.ratio_of(m));
    }
    return sum;
}

}  // namespace fermat
