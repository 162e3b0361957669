#include "core/parallel.hpp"

#include <string>

#include "core/error.hpp"

namespace fermat {

int resolve_threads(int requested) {
    if (requested < 0 || requested > most_threads) {
        throw InputError("threads is " + std::to_string(requested) + " (must be from 1 to " +
                         std::to_string(most_threads) + ", or 0 for all cores)");
    }
    return requested == 0 ? available_cores() : requested;
}

}  // namespace fermat
