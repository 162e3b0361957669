#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/execution.hpp"
#include "eikonal/adjoint/adjoint.hpp"
#include "eikonal/metric/metric_solver.hpp"

namespace fermat {

/// Differentiable times of models with a metric: curved coordinates and anisotropy. A field of
/// `fim` is carried on in double precision until every node solves its equation to rounding
/// (octant_derivative.hpp; Thomsen's medium by the ellipse that touches the slowness surface at the
/// node's own slowness vector), and its derivatives are those of these equations. On a CUDA device
/// they are the same to rounding (metric_bands.hpp); sources follow one another there.
class MetricTimes {
  public:
    /// As AdjointSurvey, but for the medium. Throws InputError for rows of jumps. Positions are
    /// those of users. The model and `exact` must outlive it. The device of `execution` computes
    /// whatever is asked of it later.
    MetricTimes(const Model& model, FieldView<const double> exact, std::vector<PointSource> sources,
                std::vector<Vec3> receivers, const EikonalOptions& options,
                const Execution& execution);
    ~MetricTimes();
    MetricTimes(const MetricTimes&) = delete;
    MetricTimes& operator=(const MetricTimes&) = delete;

    bool on_device() const;
    std::size_t source_count() const;
    std::size_t receiver_count() const;

    /// The field of a source.
    class Solved;
    std::shared_ptr<const Solved> solve(std::size_t source, const Execution& execution) const;
    /// Infinite where no wave arrives.
    double receiver_time(const Solved& field, std::size_t receiver) const;
    void write_times(const Solved& field, FieldView<double> times) const;

    /// Adds the derivatives of J by the times of a field. `by_position`: also by that of the
    /// source.
    void add_gradient(const Solved& field, std::size_t source, const TimeDerivatives& by,
                      bool by_position, AdjointGradient& sum, const Execution& execution) const;
    /// A sum that is zero.
    AdjointGradient nothing() const;

    /// The cost of the last source on a device.
    struct Work {
        double seconds = 0;  ///< forward, of passes in double precision alone
        int passes = 0;
        double visits_per_node = 0;
        double back_seconds = 0;
        int back_passes = 0;
    };
    Work work() const;

    using DeriveTimes = std::function<TimeDerivatives(std::size_t source, const Solved&)>;
    /// Solves sources that `fields` lacks, asks for dJ/dT and adds up in the order of sources.
    AdjointGradient gradient(std::span<const std::shared_ptr<const Solved>> fields,
                             const DeriveTimes& derive, bool by_position,
                             const Execution& execution) const;

  private:
    void add_part(const Solved& field, std::size_t source, const TimeDerivatives& by,
                  bool by_position, AdjointGradient& sum, const Execution& execution) const;
    AdjointGradient gradient_on_device(std::span<const std::shared_ptr<const Solved>> fields,
                                       const DeriveTimes& derive, bool by_position,
                                       const Execution& execution) const;

    struct Problem;
    std::unique_ptr<const Problem> problem_;
};

/// Adds one sum of derivatives to another.
void add_to(AdjointGradient& sum, const AdjointGradient& part);

}  // namespace fermat
