#include "tomography/joint/invert_joint.hpp"

#include <utility>

#include "tomography/joint/joint_setup.hpp"
#include "tomography/joint/joint_unknowns.hpp"
#include "tomography/loop/normal_stepper.hpp"

namespace fermat {

InversionResult invert_joint(const Medium& start, const Survey& picks,
                             const InversionOptions& options, const Execution& execution,
                             const InversionListener& listener,
                             std::optional<InversionState> resume) {
    together(execution.ranks, [&] { require_joint_memory(start, picks, options, execution); });
    JointUnknowns problem(start, picks, options, execution);
    NormalStepper::Rules rules;
    if (options.target_chi2 > 0) rules.target_chi2 = options.target_chi2;
    // Without unknown velocities there is no roughness to weigh.
    rules.keeps_weight =
        options.gauss_newton.lambda > 0 || options.joint.velocities == Velocities::none;
    NormalStepper stepper(problem, picks, options, rules, execution);
    InversionResult result = Loop(stepper, execution, listener).run(std::move(resume));
    const JointTrustOptions& wanted = options.joint.trust;
    if (wanted.resolution || wanted.deviation) {
        result.trust = problem.find_trust(stepper.x(), stepper.lambda());
    }
    return result;
}

}  // namespace fermat
