// What a build without CUDA has in place of the .cu files: the same functions, of which those that
// a caller reaches first throw the sentence that says how to get CUDA. The others are never called.

#include "core/device.hpp"
#include "core/device_bandwidth.hpp"
#include "core/device_copy.hpp"
#include "core/no_cuda.hpp"
#include "eikonal/adjoint/adjoint_cuda.hpp"
#include "eikonal/adjoint/metric_adjoint_cuda.hpp"
#include "eikonal/fim/fim_cuda.hpp"
#include "eikonal/fim/tile_queue.hpp"
#include "eikonal/metric/metric_cuda.hpp"
#include "graph/bellman_ford_cuda.hpp"
#include "graph/jacobi_cuda.hpp"
#include "model/velocity_cuda.hpp"
#include "phases/phases_cuda.hpp"
#include "rays/bending/bending_cuda.hpp"
#include "rays/rays_cuda.hpp"
#include "tomography/gauss_newton/row_store_cuda.hpp"
#include "tomography/gauss_newton/step_cuda.hpp"
#include "tomography/hole/step.hpp"
#include "tomography/smoothing/resident_cuda.hpp"
#include "tomography/smoothing/smoothing_cuda.hpp"

namespace fermat {

// core

int device_count() { return 0; }

DeviceInfo device_info(int) { refuse_cuda(); }

void use_device(int) { refuse_cuda(); }

int device_in_use() { return 0; }

double device_bandwidth() { refuse_cuda(); }

std::size_t device_memory_taken() { refuse_cuda(); }

std::shared_ptr<float> allocate_on_device(std::size_t) { refuse_cuda(); }

int device_of(const void*) { refuse_cuda(); }

void fetch_from_device(std::span<std::byte>, const void*) { refuse_cuda(); }

void send_to_device(void*, std::span<const std::byte>) { refuse_cuda(); }

void wait_for_stream() { refuse_cuda(); }

// model

void require_on_device(const float*) { refuse_cuda(); }
void wait_for_writers() {}
std::shared_ptr<float> memory_in_stream(std::size_t) { return {}; }
MediumCheck look_at(const LookedAt&, std::span<const NodeBox>, std::span<Field<float>>) {
    return {};
}

// eikonal/fim

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

// eikonal/metric

struct CudaMetric::State {};

CudaMetric::CudaMetric(const NodeNumbers&, const NodeFrames*, int, std::size_t) { refuse_cuda(); }
CudaMetric::CudaMetric(CudaMetric&&) noexcept = default;
CudaMetric::~CudaMetric() = default;
void CudaMetric::replace_tensors(const NodeNumbers&) {}
std::size_t CudaMetric::batch() const { return 1; }
double CudaMetric::solve(std::span<const Shot>) { return 0; }
std::vector<std::size_t> CudaMetric::unsettled(std::span<const Shot>, float) { return {}; }
float CudaMetric::settle_again(const Shot&) { return 0; }
CudaMetric::Work CudaMetric::work() const { return {}; }

// eikonal/adjoint

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

struct CudaMetricAdjoint::State {};

CudaMetricAdjoint::CudaMetricAdjoint(const MetricNodes&, const NodeFrames&) { refuse_cuda(); }
CudaMetricAdjoint::~CudaMetricAdjoint() = default;
CudaMetricAdjoint::Carried CudaMetricAdjoint::carry_on(const MetricFactor&, FieldView<const float>,
                                                       std::span<const Start>) {
    return {};
}
std::vector<double> CudaMetricAdjoint::substitute(const MetricFactor&, const Held&,
                                                  std::span<const Start>, FieldView<const double>,
                                                  const Asked&) {
    return {};
}
double CudaMetricAdjoint::between(const MetricFactor&, const MetricFactor&) const { return 0; }
void CudaMetricAdjoint::clear_sums() {}
void CudaMetricAdjoint::add_sums(AdjointGradient&) const {}
CudaMetricAdjoint::Work CudaMetricAdjoint::work() const { return {}; }

// graph

struct CudaGraph::State {};

std::string cuda_obstacle(const GraphView&) { return {}; }

CudaGraph::CudaGraph(const GraphView&, const StarTable&, EdgeWeights, const NodeTileTuning&) {
    refuse_cuda();
}
CudaGraph::~CudaGraph() = default;
bool CudaGraph::stores_weights() const { return false; }
std::size_t CudaGraph::batch(std::size_t) const { return 0; }
double CudaGraph::set_slowness(std::span<const float>) { return 0; }
double CudaGraph::solve(std::span<const std::vector<Link>>,
                        const std::function<void(std::size_t)>&) {
    return 0;
}
void CudaGraph::fetch(std::size_t, GraphField&) const {}
CudaGraph::Work CudaGraph::work() const { return {}; }

struct CudaJacobi::State {};

std::string jacobi_cuda_obstacle(const GraphView&, const StarTable&, TileVisits) { return {}; }

CudaJacobi::CudaJacobi(const GraphView&, const StarTable&, EdgeWeights, TileVisits) {
    refuse_cuda();
}
CudaJacobi::~CudaJacobi() = default;
bool CudaJacobi::stores_weights() const { return false; }
std::size_t CudaJacobi::batch(std::size_t) const { return 1; }
double CudaJacobi::set_slowness(std::span<const float>) { return 0; }
double CudaJacobi::solve(std::span<const std::vector<Link>>, Monitor&,
                         const std::function<void(std::size_t)>&) {
    return 0;
}
void CudaJacobi::fetch(std::size_t, GraphField&) const {}

// rays

struct CudaTracer::State {};

CudaTracer::CudaTracer() { refuse_cuda(); }
CudaTracer::CudaTracer(CudaTracer&&) noexcept = default;
CudaTracer::~CudaTracer() = default;
std::vector<RaySet> CudaTracer::trace(const Model&, const CudaFim&, std::span<const ShotRays>,
                                      const RayOptions&, const Execution&) {
    return {};
}
CudaTracer::Crossed CudaTracer::cross_cells(const Model&, const CudaFim&, std::span<const ShotRays>,
                                            const RayOptions&, const Execution&) {
    return {};
}
double CudaTracer::seconds() const { return 0; }

// rays/bending

struct CudaBender::State {};

CudaBender::CudaBender(const Model&) { refuse_cuda(); }
CudaBender::CudaBender(CudaBender&&) noexcept = default;
CudaBender::~CudaBender() = default;
double CudaBender::bend(std::span<const BendTask>, const StartSet&, int, std::span<BentRay>,
                        std::span<Vec3>) {
    return 0;
}

// phases

struct CudaPaths::State {};

CudaPaths::CudaPaths(const LayeredMedium&, const Legs&, std::span<const LayerKind>,
                     const StartLattice&, const PhaseOptions&) {
    refuse_cuda();
}
CudaPaths::CudaPaths(CudaPaths&&) noexcept = default;
CudaPaths::~CudaPaths() = default;
bool CudaPaths::finds_starts(const StartLattice&) { return false; }
void CudaPaths::find(std::size_t,
                     const std::function<void(std::size_t, std::size_t, DeviceBatch&)>&,
                     const std::function<void(const Batch&)>&) const {}

// tomography/gauss_newton

std::unique_ptr<RowStore> make_cuda_rows(HostRows&&, std::size_t) { refuse_cuda(); }

std::unique_ptr<CudaStep> make_cuda_step(const Unknowns&, const Roughness&, const SpectralSolver&,
                                         std::span<const double>) {
    refuse_cuda();
}

// tomography/hole

std::unique_ptr<HoleStep> make_cuda_step(const Grid&, const Survey&, const InversionOptions&,
                                         const Ranks&) {
    refuse_cuda();
}

// tomography/smoothing

class ResidentSmoothing::Memory {};

ResidentSmoothing::ResidentSmoothing(Shape, Shape, Smoother) { refuse_cuda(); }
ResidentSmoothing::~ResidentSmoothing() = default;

FieldView<double> ResidentSmoothing::perturbations() { refuse_cuda(); }
FieldView<double> ResidentSmoothing::coverage() { refuse_cuda(); }
FieldView<double> ResidentSmoothing::nodes() { refuse_cuda(); }

SmoothingSplit ResidentSmoothing::smooth_cells(const SmoothingSize&, int) { refuse_cuda(); }
SmoothingSplit ResidentSmoothing::smooth_vertices(const SmoothingSize&, int) { refuse_cuda(); }
SmoothingSplit ResidentSmoothing::smooth_both(const SmoothingSize&, const SmoothingSize&) {
    refuse_cuda();
}

std::vector<KernelProfile> cell_kernels(Smoother, Shape) { refuse_cuda(); }
std::vector<KernelProfile> vertex_kernels(Smoother, Shape) { refuse_cuda(); }

double smooth_cells_cuda(FieldView<double>, FieldView<const double>, const SmoothingSize&, Smoother,
                         int, SmoothingSplit*) {
    refuse_cuda();
}

double smooth_vertices_cuda(FieldView<double>, FieldView<const std::uint8_t>, const SmoothingSize&,
                            Smoother, int, SmoothingSplit*) {
    refuse_cuda();
}

}  // namespace fermat
