#include "tomography/adjoint/invert_adjoint.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/error.hpp"
#include "tomography/adjoint/gradient_stepper.hpp"
#include "tomography/loop/loop.hpp"

namespace fermat {

void require_adjoint(const InversionOptions& options) {
    if (options.gauss_newton.terms != Terms::none) {
        throw InputError(
            fmt::format("terms is '{}' and the method is 'adjoint' (terms are for 'gauss-newton')",
                        name_of(options.gauss_newton.terms)));
    }
    if (options.gauss_newton.reference) {
        throw InputError(
            "a reference model is given and the method is 'adjoint' (it is for 'gauss-newton')");
    }
    if (!options.schedule.empty()) {
        throw InputError(
            "a schedule is given and the method is 'adjoint' (a schedule is for 'hole')");
    }
    if (!follows_a_field(options.tracer)) {
        throw InputError(fmt::format(
            "tracer is '{}' and the method is 'adjoint' (which has no rays: leave it out)",
            name_of(options.tracer)));
    }
    if (options.eikonal.solver == Solver::vidale) {
        throw InputError("solver 'vidale' has no adjoint (use fim, fmm or fsm)");
    }
}

InversionResult invert_adjoint(const Model& start, const Survey& picks,
                               const InversionOptions& options, const Execution& execution,
                               const InversionListener& listener,
                               std::optional<InversionState> resume) {
    GradientStepper stepper(start, picks, options, execution);
    return Loop(stepper, execution, listener).run(std::move(resume));
}

}  // namespace fermat
