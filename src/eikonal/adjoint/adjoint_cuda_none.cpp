#include "core/no_cuda.hpp"
#include "eikonal/adjoint/adjoint_cuda.hpp"

namespace fermat {

struct CudaAdjoint::State {};

CudaAdjoint::CudaAdjoint(const AdjointSurvey&, int, std::size_t) { refuse_cuda(); }
CudaAdjoint::CudaAdjoint(const CudaModel&, std::vector<PointSource>, std::vector<Vec3>, int) {
    refuse_cuda();
}
CudaAdjoint::~CudaAdjoint() = default;
std::size_t CudaAdjoint::batch() const { return 0; }
void CudaAdjoint::want_positions(bool) {}
void CudaAdjoint::solve(std::size_t, std::size_t) {}
double CudaAdjoint::timed_solve(std::size_t, std::size_t) { return 0; }
void CudaAdjoint::receiver_times(std::span<double>) {}
void CudaAdjoint::receiver_times(float*) {}
void CudaAdjoint::write_times(std::size_t, FieldView<float, Space::device>) const {}
void CudaAdjoint::ask_nodes(std::size_t, FieldView<const double>) {}
void CudaAdjoint::ask_nodes(std::size_t, FieldView<const float, Space::device>) {}
void CudaAdjoint::ask_receivers(std::span<const double>) {}
void CudaAdjoint::ask_receivers(const float*) {}
double CudaAdjoint::substitute() { return 0; }
void CudaAdjoint::propagate() {}
double CudaAdjoint::add_up() { return 0; }
void CudaAdjoint::take_over(const CudaAdjoint&) {}
AdjointGradient CudaAdjoint::gradient() const { return {}; }
AdjointGradient CudaAdjoint::gradient(FieldView<float, Space::device>, By) const { return {}; }
void CudaAdjoint::clear() {}
void CudaAdjoint::release() {}
CudaAdjoint::Work CudaAdjoint::work() const { return {}; }

}  // namespace fermat
