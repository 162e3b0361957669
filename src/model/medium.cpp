#include "model/medium.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "core/error.hpp"
#include "model/metric_makers.hpp"

namespace fermat {

Medium::Medium(const Model& p, const Model& s) : models_{p, s} {
    if (!(p.grid() == s.grid()) || (p.cells() != nullptr) != (s.cells() != nullptr)) {
        throw InputError(fmt::format(
            "the models of P and S are {} and {} (both must be on one grid, and their velocities "
            "on nodes or in cells of both)",
            to_string(p.grid().shape), to_string(s.grid().shape)));
    }
    if (!same_coordinates(p, s)) {
        throw InputError("the models of P and S have different coordinates (must have the same)");
    }
    const auto vp = p.given();
    const auto vs = s.given();
    for (std::size_t n = 0; n < vp.size(); ++n) {
        if ((vp[n] == 0) == (vs[n] == 0)) continue;
        throw InputError(fmt::format(
            "velocity {} of P is {} and of S is {} (air, 0, must be air for both; S waves in water "
            "do not travel: give the model of S a small velocity there)",
            n, vp[n], vs[n]));
    }
}

Medium Medium::of_ratio(const Model& p, double vp_over_vs) {
    if (!(vp_over_vs > 1) || std::isinf(vp_over_vs)) {
        throw InputError(fmt::format("Vp/Vs is {} (must be > 1)", vp_over_vs));
    }
    Field<float> velocity(p.given().shape());
    for (std::size_t n = 0; n < velocity.size(); ++n) {
        velocity[n] = static_cast<float>(static_cast<double>(p.given()[n]) / vp_over_vs);
    }
    return {p, p.with_given(std::move(velocity))};
}

}  // namespace fermat
