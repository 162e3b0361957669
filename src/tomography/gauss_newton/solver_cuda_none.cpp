#include "core/no_cuda.hpp"
#include "tomography/gauss_newton/row_store_cuda.hpp"
#include "tomography/gauss_newton/step_cuda.hpp"

namespace fermat {

std::unique_ptr<RowStore> make_cuda_rows(HostRows&&, std::size_t) { refuse_cuda(); }

std::unique_ptr<CudaStep> make_cuda_step(const Unknowns&, const Roughness&, const SpectralSolver&,
                                         std::span<const double>) {
    refuse_cuda();
}

}  // namespace fermat
