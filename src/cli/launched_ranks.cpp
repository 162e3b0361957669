#include <algorithm>
#include <cstdlib>

#include "cli/rank_session.hpp"

namespace fermat::cli {

int launched_ranks() {
    // Open MPI; MPICH, Intel MPI and their relatives; MVAPICH2; Slurm with PMIx.
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"}) {
        const char* text = std::getenv(name);
        if (text != nullptr) return std::max(0, std::atoi(text));
    }
    const char* tasks = std::getenv("SLURM_NTASKS");
    if (tasks != nullptr && std::getenv("PMIX_RANK") != nullptr) {
        return std::max(0, std::atoi(tasks));
    }
    return 0;
}

}  // namespace fermat::cli
