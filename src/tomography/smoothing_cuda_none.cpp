#include "core/error.hpp"
#include "tomography/smoothing_methods.hpp"

namespace fermat {

void box_means_cuda(FieldView<double>, const SmoothingSize&, Smoother) {
    throw InputError("CUDA is not in this build (configure with -DFERMAT_CUDA=ON, or use cpu)");
}

}  // namespace fermat
