#include <algorithm>
#include <cstdlib>

#include "cli/rank_session.hpp"

namespace fermat::cli {

int launched_ranks() {
    // Variables of Open MPI; of MPICH, Intel MPI and similar; of MVAPICH2; of Slurm with PMIx.
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
