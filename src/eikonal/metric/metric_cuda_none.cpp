#include "core/no_cuda.hpp"
#include "eikonal/metric/metric_cuda.hpp"

namespace fermat {

struct CudaMetric::State {};

CudaMetric::CudaMetric(const NodeNumbers&, int, std::size_t) { refuse_cuda(); }
CudaMetric::CudaMetric(CudaMetric&&) noexcept = default;
CudaMetric::~CudaMetric() = default;
void CudaMetric::replace_tensors(const NodeNumbers&) {}
std::size_t CudaMetric::batch() const { return 1; }
double CudaMetric::solve(std::span<const Shot>) { return 0; }
std::vector<std::size_t> CudaMetric::unsettled(std::span<const Shot>, float) { return {}; }
float CudaMetric::settle_again(const Shot&) { return 0; }
CudaMetric::Work CudaMetric::work() const { return {}; }

}  // namespace fermat
