#include "core/no_cuda.hpp"
#include "tomography/hole/workbench.hpp"

namespace fermat {

std::unique_ptr<Workbench> make_cuda_workbench(const Grid&, const Survey&, const InversionOptions&,
                                               const Ranks&) {
    refuse_cuda();
}

}  // namespace fermat
