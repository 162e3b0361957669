#include "location/options.hpp"

#include "core/error.hpp"

namespace fermat {

void validate(const LocateOptions& options) {
    validate_options(options);
    validate(options.eikonal);
    if (options.depth && !std::isfinite(*options.depth)) {
        throw InputError("depth is not finite (must be a depth in the model)");
    }
    if (options.depth && options.fixed != Fixed::nothing) {
        throw InputError(
            "depth and fixed are both given (depth keeps all events at one depth, "
            "fixed keeps what the picks give: leave one out)");
    }
}

}  // namespace fermat
