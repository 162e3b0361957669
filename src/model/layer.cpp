#include "model/layer.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/error.hpp"
#include "model/fill.hpp"

namespace fermat {

void validate(std::span<const DepthVelocity> entries, std::string_view what, bool air_allowed) {
    if (entries.empty()) throw InputError(fmt::format("no {} is given (need at least one)", what));
    for (std::size_t n = 0; n < entries.size(); ++n) {
        const auto [depth, velocity] = entries[n];
        if (!std::isfinite(depth)) {
            throw InputError(
                fmt::format("{} {} has depth {} (must be finite)", what, n + 1, depth));
        }
        if (n > 0 && !(depth > entries[n - 1].depth)) {
            throw InputError(fmt::format(
                "{} {} has depth {} (must be deeper than {} {} at depth {}: list them downwards)",
                what, n + 1, depth, what, n, entries[n - 1].depth));
        }
        if (!(air_allowed && velocity == 0)) {
            detail::require_velocity(fmt::format("{} {} has velocity", what, n + 1), velocity,
                                     air_allowed);
        }
    }
}

}  // namespace fermat
