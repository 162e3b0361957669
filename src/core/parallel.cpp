#include "core/parallel.hpp"

#include <omp.h>

#include <string>

#include "core/error.hpp"

namespace fermat {

int resolve_threads(int requested) {
    if (requested < 0) {
        throw InputError("threads is " + std::to_string(requested) +
                         " (must be at least 1, or 0 for all cores)");
    }
    return requested == 0 ? omp_get_num_procs() : requested;
}

int thread_index() { return omp_get_thread_num(); }

}  // namespace fermat
