#include "core/error.hpp"
#include "tomography/smoothing_cuda.hpp"

namespace fermat {
namespace {

[[noreturn]] void refuse() {
    throw InputError("CUDA is not in this build (configure with -DFERMAT_CUDA=ON, or use cpu)");
}

}  // namespace

double smooth_cells_cuda(FieldView<double>, FieldView<const double>, const SmoothingSize&, Smoother,
                         int) {
    refuse();
}

double smooth_vertices_cuda(FieldView<double>, FieldView<const std::uint8_t>, const SmoothingSize&,
                            Smoother, int) {
    refuse();
}

}  // namespace fermat
