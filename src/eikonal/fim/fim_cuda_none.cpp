#include "core/no_cuda.hpp"
#include "eikonal/fim/fim_cuda.hpp"
#include "eikonal/fim/tile_queue.hpp"

namespace fermat {

struct CudaFim::State {};

CudaFim::CudaFim(const Model&, int, std::size_t) { refuse_cuda(); }
CudaFim::CudaFim(const CudaModel&, int, std::size_t) {}
CudaFim::CudaFim(CudaFim&&) noexcept = default;
CudaFim::~CudaFim() = default;
std::size_t CudaFim::batch() const { return 0; }
void CudaFim::set_velocity(const Model&) {}
void CudaFim::set_velocity(FieldView<const float, Space::device>) {}
double CudaFim::solve(std::span<const FactoredSource>) { return 0; }
void CudaFim::start(std::span<const FactoredSource>) {}
void CudaFim::clear(std::size_t) {}
void CudaFim::download(std::size_t, FieldView<float>) const {}
FieldView<float, Space::device> CudaFim::tau(std::size_t) const { return {}; }
FieldView<const float, Space::device> CudaFim::velocity() const { return {}; }
TileBatch CudaFim::tiles() const { return {}; }
void CudaFim::write_times(std::size_t, const FactoredSource&, double, Keep,
                          FieldView<float, Space::device>) const {}
CudaFim::Work CudaFim::work() const { return {}; }

}  // namespace fermat
