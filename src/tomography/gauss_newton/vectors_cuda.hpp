#pragma once

// For .cu files alone.

#include <algorithm>

#include "core/block.hpp"
#include "core/launch_cuda.hpp"
#include "core/memory_cuda.hpp"
#include "tomography/gauss_newton/ordered_fold.hpp"

namespace fermat {

inline constexpr int vector_threads = 256;

struct ProductTerm {
    const double* a;
    const double* b;
    __device__ double operator()(std::size_t n) const { return a[n] * b[n]; }
};
struct SizeTerm {
    const double* a;
    const double* b;
    __device__ double operator()(std::size_t n) const { return fabs(a[n] * b[n]); }
};
struct ValueTerm {
    const double* a;
    __device__ double operator()(std::size_t n) const { return a[n]; }
};

/// A block puts a stretch of the terms together.
template <class Term, class Combine>
__global__ void fold_stretches(Term term, std::size_t count, std::size_t stretch, Combine combine,
                               double* out) {
    __shared__ double parts[vector_threads];
    const std::size_t first = blockIdx.x * stretch;
    const std::size_t rest = count - first;
    const CudaBlock block;
    ordered_fold<vector_threads>(
        block, static_cast<std::int64_t>(rest < stretch ? rest : stretch),
        [&](std::int64_t n) { return term(first + static_cast<std::size_t>(n)); }, combine, parts);
    if (threadIdx.x == 0) out[blockIdx.x] = parts[0];
}

/// Puts terms together on the device, in an order of their number alone, and fetches the result.
class CudaFolder {
  public:
    template <class Term, class Combine>
    double fold(Term term, std::size_t count, Combine combine) {
        if (count == 0) return 0;
        const std::size_t stretches = (count + stretch - 1) / stretch;
        parts_.reserve(stretches + 1);
        double* const result = parts_.data() + stretches;
        fold_stretches<<<static_cast<unsigned>(stretches), vector_threads>>>(
            term, count, stretch, combine, parts_.data());
        fold_stretches<<<1, vector_threads>>>(ValueTerm{parts_.data()}, stretches, stretches,
                                              combine, result);
        double value = 0;
        check_cuda(cudaMemcpy(&value, result, sizeof value, cudaMemcpyDeviceToHost),
                   "adding up a vector");
        return value;
    }

  private:
    static constexpr std::size_t stretch = 8192;
    CudaArray<double> parts_;
};

}  // namespace fermat
