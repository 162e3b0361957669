#include "core/no_cuda.hpp"
#include "tomography/hole/step.hpp"

namespace fermat {

std::unique_ptr<HoleStep> make_cuda_step(const Grid&, const Survey&, const InversionOptions&,
                                         const Ranks&) {
    refuse_cuda();
}

}  // namespace fermat
