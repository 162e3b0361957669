#pragma once

#include "core/error.hpp"

namespace fermat {

/// For what stands in place of a CUDA version in a build without.
[[noreturn]] inline void refuse_cuda() {
    throw InputError("CUDA is not in this build (configure with -DFERMAT_CUDA=ON, or use cpu)");
}

}  // namespace fermat
