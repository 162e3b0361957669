#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "eikonal/adjoint/adjoint.hpp"
#include "eikonal/adjoint/metric_node.hpp"
#include "eikonal/metric/factor.hpp"

namespace fermat {

/// The work of MetricTimes on a CUDA device, in double precision, one source at a time
/// (metric_bands.hpp). It keeps the medium there and, per node, 125 bytes besides (Thomsen's medium
/// and tensors: 200).
class CudaMetricAdjoint {
  public:
    /// `nodes` without steps, in the host's memory. Throws InputError if this build has no CUDA or
    /// the machine has no device, and ComputeError if the device has no memory for it.
    CudaMetricAdjoint(const MetricNodes& nodes, const NodeFrames& frames);
    ~CudaMetricAdjoint();

    /// A field that solves its equations.
    struct Carried {
        std::vector<double> tau;  ///< infinite where no wave arrives
        std::vector<double> t0;
        std::vector<unsigned char> branch;  ///< OctantBranch::packed()
        std::int64_t unsettled = 0;
        std::uint64_t number = 0;  ///< of the solve
    };
    /// A node round the source, whose tau is given.
    struct Start {
        std::size_t node = 0;
        double tau = 1;
    };
    /// Carries a field of single precision on.
    Carried carry_on(const MetricFactor& factor, FieldView<const float> first,
                     std::span<const Start> starts);

    /// A field that was carried on before.
    struct Held {
        std::span<const double> tau;
        std::span<const unsigned char> branch;
        std::uint64_t number = 0;
    };
    /// dJ/dtau of single nodes, each but once.
    using Asked = std::vector<std::pair<std::size_t, double>>;
    /// From dJ/dT of the nodes, if there is any, and `asked`. Returns dJ/dtau of the start nodes.
    std::vector<double> substitute(const MetricFactor& factor, const Held& field,
                                   std::span<const Start> starts, FieldView<const double> by_times,
                                   const Asked& asked);
    /// dJ between two T0 of the nodes, by the last substitution.
    double between(const MetricFactor& low, const MetricFactor& high) const;

    /// Every substitution adds dJ by the medium to sums on the device, which begin anew here.
    void clear_sums();
    void add_sums(AdjointGradient& to) const;

    /// The cost of the last field: passes over bands and visits per node, forward and backward.
    struct Work {
        double seconds = 0;
        int passes = 0;
        double visits = 0;
        double back_seconds = 0;
        int back_passes = 0;
    };
    Work work() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace fermat
