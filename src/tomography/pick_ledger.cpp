#include "tomography/pick_ledger.hpp"

#include <cmath>

#include "core/expect.hpp"

namespace fermat {

PickLedger::PickLedger(const Survey& picks, const PickRules& rules) : picks_(picks), rules_(rules) {
    results_.residual.assign(picks.arrivals.size(), std::numeric_limits<double>::quiet_NaN());
    results_.use.assign(picks.arrivals.size(), PickUse::lost);
    results_.lost_by_status.assign(choices<RayStatus>.entries.size(), 0);
}

std::optional<RayProjection> PickLedger::book(std::size_t pick, double time, double length,
                                              RayStatus status) {
    FERMAT_EXPECT(pick < results_.residual.size());
    const double residual = picks_.arrivals[pick].time - time;
    if (!has_arrived(status) || !std::isfinite(residual)) {
        ++results_.lost_by_status[static_cast<std::size_t>(status)];
        return std::nullopt;
    }
    results_.residual[pick] = residual;
    const double scaled = residual / rules_.scale[pick];
    const bool used = scaled >= rules_.limits.low && scaled <= rules_.limits.high;
    results_.use[pick] = used ? PickUse::used : PickUse::rejected;
    if (!used || !(length > 0)) return std::nullopt;
    return RayProjection{residual / length, rules_.weights[pick]};
}

}  // namespace fermat
