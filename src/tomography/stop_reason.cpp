#include "tomography/stop_reason.hpp"

namespace fermat {

StopReason stop_reason(const Cooling& cooling, double chi2, const InversionOptions& options) {
    const Cooling::Phase phase = cooling.phase();
    if (phase == Cooling::Phase::cooling || phase == Cooling::Phase::relaxing) {
        return StopReason::schedule_end;
    }
    const bool at_target =
        phase == Cooling::Phase::done && !cooling.keeps_weight() && chi2 <= cooling.target();
    if (!at_target) return StopReason::stagnation;
    const bool by_rms = options.target_rms > 0 && !(options.target_chi2 > 0);
    return by_rms ? StopReason::target_rms : StopReason::target_chi2;
}

}  // namespace fermat
