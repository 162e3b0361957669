#include "core/error.hpp"
#include "tomography/workbench.hpp"

namespace fermat {

std::unique_ptr<Workbench> make_cuda_workbench(const Grid&, const Picks&, const InversionOptions&,
                                               const Ranks&) {
    throw InputError("CUDA is not in this build (configure with -DFERMAT_CUDA=ON, or use cpu)");
}

}  // namespace fermat
