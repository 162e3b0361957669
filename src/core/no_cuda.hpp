#pragma once

#include "core/error.hpp"

namespace fermat {

/// Throws in the functions that replace CUDA versions in a build without CUDA.
[[noreturn]] inline void refuse_cuda() {
    throw InputError("CUDA is not in this build (configure with -DFERMAT_CUDA=ON, or use cpu)");
}

}  // namespace fermat
