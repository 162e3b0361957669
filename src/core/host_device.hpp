#pragma once

/// Marks a function that is compiled for host and device. Arithmetic that the CPU and the GPU share
/// is written once, as FERMAT_HD functions in headers without CUDA includes.
#if defined(__CUDACC__)
#define FERMAT_HD __host__ __device__
#else
#define FERMAT_HD
#endif

/// FERMAT_HD_INLINE is for the innermost arithmetic, where a call would spill registers to memory.
/// FERMAT_HD_RARE is for its rare branches, which should not enlarge the loop.
#define FERMAT_HD_INLINE FERMAT_HD [[gnu::always_inline]] inline
#if defined(__CUDACC__)
#define FERMAT_HD_RARE FERMAT_HD inline  // a call would cost more registers than the inlined branch
#else
#define FERMAT_HD_RARE FERMAT_HD [[gnu::noinline]]
#endif
