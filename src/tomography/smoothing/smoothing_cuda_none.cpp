#include "core/no_cuda.hpp"
#include "tomography/smoothing/smoothing_cuda.hpp"

namespace fermat {

double smooth_cells_cuda(FieldView<double>, FieldView<const double>, const SmoothingSize&, Smoother,
                         int, SmoothingSplit*) {
    refuse_cuda();
}

double smooth_vertices_cuda(FieldView<double>, FieldView<const std::uint8_t>, const SmoothingSize&,
                            Smoother, int, SmoothingSplit*) {
    refuse_cuda();
}

}  // namespace fermat
