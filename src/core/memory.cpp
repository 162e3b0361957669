#include "core/memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace fermat {

double machine_memory() {
    double bytes =
        static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
    // Limits of a container: the second and the first version of Linux's control groups. "max"
    // stands for none and is no number.
    for (const char* const name :
         {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
        double limit = 0;
        if (std::ifstream(name) >> limit && limit > 0) bytes = std::min(bytes, limit);
    }
    return bytes;
}

}  // namespace fermat
