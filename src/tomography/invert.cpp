#include "tomography/invert.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/error.hpp"
#include "model/metric.hpp"
#include "survey/mapped_points.hpp"
#include "tomography/adjoint/invert_adjoint.hpp"
#include "tomography/gauss_newton/gauss_newton.hpp"
#include "tomography/hole/hole.hpp"
#include "tomography/joint/invert_joint.hpp"
#include "tomography/run_fingerprint.hpp"

namespace fermat {
void require_invertible(const Medium& start, const Survey& picks, const InversionOptions& options,
                        Device device) {
    if (by_boxes(options)) {
        require_plain(start.first(), "inversion method 'hole'");
        require_nodes(start.first(), "inversion method 'hole'");
    }
    if (options.method == InversionMethod::adjoint) require_adjoint(options);
    validate(options, picks, start);
    runs_on_cuda(options, device, start.first());
}

InversionResult invert(const Medium& start, const Survey& picks, const InversionOptions& options,
                       const Execution& execution, const InversionListener& listener,
                       std::optional<InversionState> resume) {
    Ranks& ranks = execution.ranks;
    const Device device = execution.device;
    together(ranks, [&] { require_invertible(start, picks, options, device); });
    require_same_run(ranks, start, picks, options);
    const bool cuda = broadcast_value(ranks, runs_on_cuda(options, device, start.first()));
    together(ranks, [&] {
        if (cuda && !runs_on_cuda(options, device, start.first())) {
            throw InputError(fmt::format(
                "rank {} has no CUDA device and rank 0 has one (give all ranks `device=cpu`, or "
                "devices)",
                ranks.rank()));
        }
    });
    if (options.method == InversionMethod::adjoint) {
        return invert_adjoint(start.first(), picks, options,
                              execution.on(cuda ? Device::cuda : Device::cpu), listener,
                              std::move(resume));
    }
    if (is_joint(picks, options)) {
        return invert_joint(start, picks, options, execution, listener, std::move(resume));
    }
    if (!by_boxes(options)) {
        return invert_gauss_newton(start.first(), picks, options, execution, listener,
                                   std::move(resume));
    }
    return invert_hole(start.first(), picks, options, execution, listener, std::move(resume), cuda);
}

}  // namespace fermat
