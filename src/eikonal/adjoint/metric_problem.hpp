#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "eikonal/adjoint/metric_adjoint.hpp"
#include "eikonal/adjoint/metric_adjoint_cuda.hpp"
#include "eikonal/adjoint/metric_equations.hpp"
#include "eikonal/adjoint/metric_starts.hpp"
#include "eikonal/adjoint/receiver_hats.hpp"
#include "eikonal/adjoint/slowness.hpp"

namespace fermat {

/// What metric_adjoint.cpp computes with.

class MetricTimes::Solved {
  public:
    Solved(MetricFactor of, double start) : factor(std::move(of)), start_time(start) {}

    MetricFactor factor;
    double start_time;
    MetricFactorNodes nodes;
    std::vector<double> tau;            ///< infinite where no wave arrives
    std::vector<std::uint32_t> order;   ///< nodes that have equations, by time
    std::vector<unsigned char> branch;  ///< OctantBranch::packed()
    std::vector<MetricStart> starts;
    std::int64_t unsettled = 0;
    std::uint64_t number = 0;  ///< of the solve on a device

    std::vector<CudaMetricAdjoint::Start> device_starts() const {
        std::vector<CudaMetricAdjoint::Start> out;
        for (const MetricStart& start : starts) out.push_back({start.node, tau[start.node]});
        return out;
    }
};

struct MetricTimes::Problem {
    Problem(const Model& model_, FieldView<const double> exact, const EikonalOptions& options,
            const Execution& execution);
    Device where() const { return device ? Device::cuda : Device::cpu; }

    const Model& model;
    NodeSlowness slowness;
    bool device = false;
    MetricSolver solver;
    std::optional<MetricEquations> equations;  ///< on the CPU
    std::unique_ptr<CudaMetricAdjoint> cuda;   ///< null there
    mutable std::mutex one_at_a_time;          ///< on the device
    mutable std::mutex summing;                ///< likewise, of one gradient
    std::vector<PointSource> sources;
    std::vector<Vec3> places;  ///< of sources, in grid coordinates
    ReceiverHats hats;
    std::vector<Vec3> receivers;  ///< in grid coordinates

    /// tau at a receiver, infinite where no wave arrives, and its slope.
    HatValue tau_at(const Solved& field, std::size_t receiver) const;
    /// Puts nodes that have equations into the order of their times.
    void sort_nodes(Solved& field) const;
    /// Carries tau of a field on until its nodes solve their equations.
    void settle(Solved& field, Monitor& monitor) const;
    /// Adds dJ by the receivers; what J asks of nodes goes to ask(node, dJ/dtau).
    template <class Ask>
    void add_receivers(const Solved& field, std::size_t source, std::span<const double> by,
                       MetricFactorPull& pull, AdjointGradient& sum, Ask ask) const;
    /// dJ/dtau that nodes have not passed on; at the end only start nodes have some.
    struct Asked;
    void substitute(const Solved& field, Asked& asked, AdjointGradient& sum,
                    Monitor& monitor) const;
    /// Either device's part of add_gradient(): all but by start nodes and the source. Gives dJ by
    /// the times of start nodes, in their order, and what T0 says of the nodes.
    std::vector<double> by_equations(const Solved& field, std::size_t source,
                                     const TimeDerivatives& by, MetricFactorPull& pull,
                                     AdjointGradient& sum, const Execution& execution) const;
    std::vector<double> by_equations_on_device(const Solved& field, std::size_t source,
                                               const TimeDerivatives& by, MetricFactorPull& pull,
                                               AdjointGradient& sum) const;
};

/// A slope by grid coordinates as one by the coordinates of users.
inline Vec3 by_user(const Mapping& mapping, Vec3 q, Vec3 slope) {
    const Vec3 by_place = transposed(inverse(mapping.jacobian(q))) * slope;
    return transposed(mapping.user_jacobian(q)) * by_place;
}

}  // namespace fermat
