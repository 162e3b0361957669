#include "location/options.hpp"

#include <fmt/format.h>

#include "core/error.hpp"

namespace fermat {

void validate(const LocateOptions& options) {
    validate_options(options);
    validate(options.eikonal);
    if (options.depth && !std::isfinite(*options.depth)) {
        throw InputError("depth is not finite (must be a depth in the model)");
    }
    if (options.far && !(*options.far > options.near)) {
        throw InputError(fmt::format("far is {:g} and near is {:g} (far must be larger)",
                                     *options.far, options.near));
    }
    if (options.term_radius && options.terms != TermSearch::by_place) {
        throw InputError(
            "term_radius is given without terms that depend on the place "
            "(use `terms=ssst`)");
    }
    if (options.depth && options.fixed != Fixed::nothing) {
        throw InputError(
            "depth and fixed are both given (depth keeps all events at one depth, "
            "fixed keeps what the picks give: leave one out)");
    }
}

}  // namespace fermat
