#pragma once

/// Marks a function that both the host compiler and nvcc compile for both sides. Arithmetic that
/// the CPU and the GPU share is written once, as FERMAT_HD functions in headers without CUDA
/// includes.
#if defined(__CUDACC__)
#define FERMAT_HD __host__ __device__
#else
#define FERMAT_HD
#endif

/// For the innermost arithmetic, where a call would spill a register full of nodes to memory; and
/// for its rare side ways, which should not swell the loop they leave.
#define FERMAT_HD_INLINE FERMAT_HD [[gnu::always_inline]] inline
#if defined(__CUDACC__)
#define FERMAT_HD_RARE FERMAT_HD inline  // a call costs more registers than the way itself
#else
#define FERMAT_HD_RARE FERMAT_HD [[gnu::noinline]]
#endif
