#include "core/no_cuda.hpp"
#include "eikonal/metric/metric_cuda.hpp"

namespace fermat {

struct CudaMetric::State {};

CudaMetric::CudaMetric(const NodeNumbers&, int) { refuse_cuda(); }
CudaMetric::CudaMetric(CudaMetric&&) noexcept = default;
CudaMetric::~CudaMetric() = default;
void CudaMetric::replace_tensors(const NodeNumbers&) {}
double CudaMetric::solve(const NodeNumbers&, FieldView<float>) { return 0; }
float CudaMetric::settle_again(const NodeNumbers&, FieldView<float>) { return 0; }
CudaMetric::Work CudaMetric::work() const { return {}; }

}  // namespace fermat
