#pragma once

/// Marks a function that both the host compiler and nvcc compile for both sides. Arithmetic that
/// the CPU and the GPU share is written once, as FERMAT_HD functions in headers without CUDA
/// includes.
#if defined(__CUDACC__)
#define FERMAT_HD __host__ __device__
#else
#define FERMAT_HD
#endif
