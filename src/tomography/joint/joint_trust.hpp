#pragma once

#include <span>

#include "core/monitor.hpp"
#include "tomography/joint/joint_forward.hpp"
#include "tomography/joint/joint_step.hpp"
#include "tomography/joint/options.hpp"

namespace fermat {

/// The linear problem of a joint run at the model it found.
struct JointProblem {
    const JointParts& parts;  ///< events renewed there with little damping
    const JointForward& forward;
    const PhaseModels& models;
    std::span<const double> x;
    const PickMatrix& rows;
    std::span<const double> row_weights;
    double lambda;  ///< > 0
};

/// Resolution by probes and deviations by samples of the posterior, as sampled_trust has them, of
/// the problem of all unknowns. With G and H side by side, W the weights of picks and differences
/// and B the beliefs in given places, a sample solves
///
///     (G^T W G + lambda R + B) d = G^T W^(1/2) e1 + lambda^(1/2) L e2 + B^(1/2) e3
///
/// for standard normal e. Covariances of events are those of the samples, with velocities free. On
/// rank 0 while the others serve. The same bits for any number of threads and ranks.
JointTrust joint_trust(JointStep& step, const JointProblem& problem,
                       const JointTrustOptions& options, Monitor& monitor);

}  // namespace fermat
