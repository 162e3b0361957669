#include <utility>

#include "core/launch_cuda.hpp"
#include "tomography/gauss_newton/dealt_rows.hpp"
#include "tomography/gauss_newton/rows_cuda.hpp"
#include "tomography/gauss_newton/spectral_cuda.hpp"
#include "tomography/gauss_newton/step_cuda.hpp"
#include "tomography/gauss_newton/vectors_cuda.hpp"

namespace fermat {
namespace {

using Vector = CudaArray<double>;

__global__ void add_to(double* to, double factor, const double* from, std::size_t count) {
    const std::size_t n = thread_number();
    if (n < count) to[n] += factor * from[n];
}

__global__ void scale_and_add_to(double* to, double factor, const double* from, std::size_t count) {
    const std::size_t n = thread_number();
    if (n < count) to[n] = from[n] + factor * to[n];
}

__global__ void apply_half(RoughnessStencil stencil, const double* x, double* out,
                           std::size_t count) {
    const std::size_t n = thread_number();
    if (n < count) out[n] = stencil.apply_half_at(n, x);
}

/// Unknowns behind the grid's.
struct Extras {
    std::size_t grid;  ///< unknowns of the grid
    std::size_t count;
    const double* damping;
    const double* diagonal;
};

/// out = the sums' values + weight R in, where `smooth` is what the stencil is to be applied to.
__global__ void finish_product(FixedScale scale, const std::int64_t* sums, RoughnessStencil stencil,
                               double weight, const double* smooth, const double* in, Extras extras,
                               double* out) {
    const std::size_t n = thread_number();
    if (n >= extras.grid + extras.count) return;
    const double data = scale.value(sums[n]);
    out[n] = n < extras.grid ? data + weight * stencil.apply_at(n, smooth)
                             : data + extras.damping[n - extras.grid] * in[n];
}

__global__ void divide_extras(const double* in, Extras extras, double* out) {
    const std::size_t n = thread_number();
    if (n < extras.count) out[extras.grid + n] = in[extras.grid + n] / extras.diagonal[n];
}

/// What does not change from one solution to the next, and room to work in.
struct Workspace {
    CudaSpectral spectral;
    CudaArray<Neighbours> neighbours;
    CudaArray<Vec3> weights;
    Vector between;
    Vector extra;
    Vector extra_diagonal;
    Vector along;  ///< per row
    Vector once;
    CudaArray<std::int64_t> sums;
    CudaFolder folder;
};

/// The normal equations on the device.
class CudaSystem {
  public:
    using Vector = fermat::Vector;

    CudaSystem(const DealtRows& rows, const RoughnessStencil& stencil,
               const SpectralDivisor& divisor, const Extras& extras, Workspace& work)
        : rows_(static_cast<const CudaRows&>(rows.own())),
          dealt_(rows),
          stencil_(stencil),
          divisor_(divisor),
          extras_(extras),
          size_(extras.grid + extras.count),
          work_(work) {}

    Vector zeros() const {
        Vector out(size_);
        check_cuda(cudaMemset(out.data(), 0, out.bytes()), "clearing a vector");
        return out;
    }
    void apply(const Vector& in, Vector& out) {
        rows_.times(in, work_.along);
        const double largest = work_.folder.fold(SizeTerm{work_.along.data(), rows_.weights()},
                                                 rows_.rows(), Greater());
        const FixedScale scale = dealt_.scale_of(largest);
        rows_.transposed(work_.along, scale, work_.sums);
        const double* smooth = in.data();
        if (divisor_.second) {
            apply_half<<<blocks_for(extras_.grid, vector_threads), vector_threads>>>(
                stencil_, in.data(), work_.once.data(), extras_.grid);
            smooth = work_.once.data();
        }
        finish_product<<<blocks_for(size_, vector_threads), vector_threads>>>(
            scale, work_.sums.data(), stencil_, divisor_.lambda, smooth, in.data(), extras_,
            out.data());
        check_cuda(cudaGetLastError(), "applying the normal equations");
    }
    void precondition(const Vector& in, Vector& out) {
        work_.spectral.solve(in.data(), out.data(), divisor_);
        if (extras_.count == 0) return;
        divide_extras<<<blocks_for(extras_.count, vector_threads), vector_threads>>>(
            in.data(), extras_, out.data());
    }
    double dot(const Vector& a, const Vector& b) {
        return work_.folder.fold(ProductTerm{a.data(), b.data()}, size_, Plus());
    }
    void add(Vector& to, double factor, const Vector& from) const {
        add_to<<<blocks_for(size_, vector_threads), vector_threads>>>(to.data(), factor,
                                                                      from.data(), size_);
    }
    void scale_add(Vector& to, double factor, const Vector& from) const {
        scale_and_add_to<<<blocks_for(size_, vector_threads), vector_threads>>>(to.data(), factor,
                                                                                from.data(), size_);
    }

  private:
    const CudaRows& rows_;
    const DealtRows& dealt_;
    RoughnessStencil stencil_;
    SpectralDivisor divisor_;
    Extras extras_;
    std::size_t size_;
    Workspace& work_;
};

class CudaStepOfDevice : public CudaStep {
  public:
    CudaStepOfDevice(const Unknowns& unknowns, const Roughness& roughness,
                     const SpectralSolver& spectral, std::span<const double> extra)
        : unknowns_(unknowns.size()),
          roughness_(roughness),
          host_spectral_(spectral),
          extra_(extra),
          work_{CudaSpectral(unknowns, spectral), {}, {}, {}, {}, {}, {}, {}, {}, {}} {
        work_.neighbours.reserve(unknowns_);
        work_.neighbours.upload({roughness.stencil().neighbours, unknowns_});
        work_.once.reserve(unknowns_);
        work_.sums.reserve(unknowns_ + extra.size());
        work_.extra.reserve(extra.size());
        work_.extra_diagonal.reserve(extra.size());
        if (!extra.empty()) work_.extra.upload(extra);
        check_cuda(cudaDeviceSynchronize(), "sending the roughness");
    }

    LinearSolution solve(const DealtRows& rows, std::vector<double> right, double weight,
                         const SolveLimits& limits) override {
        const double mean = rows.trace() / static_cast<double>(rows.columns());
        work_.along.reserve(rows.own().rows());
        renew_extra_diagonal(rows);
        CudaSystem system(
            rows, renewed_stencil(), host_spectral_.divisor(weight, mean),
            {unknowns_, extra_.size(), work_.extra.data(), work_.extra_diagonal.data()}, work_);
        Vector r(right.size());
        r.upload(right);
        Vector d = system.zeros();
        const CgReport report = conjugate_gradients(system, r, d, limits);
        d.download(right);
        return {std::move(right), report.accuracy <= limits.accuracy, report.iterations};
    }

  private:
    /// Weights of differences change from one model to the next.
    RoughnessStencil renewed_stencil() {
        RoughnessStencil stencil = roughness_.stencil();
        stencil.neighbours = work_.neighbours.data();
        if (stencil.weights != nullptr) {
            work_.weights.reserve(unknowns_);
            work_.weights.upload({stencil.weights, unknowns_});
            stencil.weights = work_.weights.data();
        }
        if (stencil.between != nullptr) {
            work_.between.reserve(unknowns_);
            work_.between.upload({stencil.between, unknowns_});
            stencil.between = work_.between.data();
        }
        return stencil;
    }

    void renew_extra_diagonal(const DealtRows& rows) {
        if (extra_.empty()) return;
        std::vector<double> squares(rows.columns());
        rows.column_squares(squares, 1);
        std::vector<double> diagonal(extra_.begin(), extra_.end());
        for (std::size_t e = 0; e < diagonal.size(); ++e) diagonal[e] += squares[unknowns_ + e];
        work_.extra_diagonal.upload(diagonal);
        check_cuda(cudaDeviceSynchronize(), "sending damping");
    }

    std::size_t unknowns_;
    const Roughness& roughness_;
    const SpectralSolver& host_spectral_;
    std::span<const double> extra_;
    Workspace work_;
};

}  // namespace

std::unique_ptr<CudaStep> make_cuda_step(const Unknowns& unknowns, const Roughness& roughness,
                                         const SpectralSolver& spectral,
                                         std::span<const double> extra) {
    return std::make_unique<CudaStepOfDevice>(unknowns, roughness, spectral, extra);
}

}  // namespace fermat
