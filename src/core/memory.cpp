#include "core/memory.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

#include "core/error.hpp"

#include "core/platform.hpp"

namespace fermat {
namespace {

/// "4G", "512M", "2.5e9": bytes.
double parse_bytes(std::string_view text) {
    double number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
    const double factor = unit.empty() ? 1 : unit == "M" ? 1e6 : unit == "G" ? 1e9 : 0;
    if (error != std::errc() || !(number * factor > 0)) {
        throw InputError("FERMAT_MEMORY is '" + std::string(text) +
                         "' (must be a number of bytes, as 4G, 512M or 4e9)");
    }
    return number * factor;
}

}  // namespace

double machine_memory() {
    double bytes = physical_memory();
    // Limits of a container: the second and the first version of Linux's control groups. "max"
    // stands for none and is no number.
    for (const char* const name :
         {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
        double limit = 0;
        if (std::ifstream(name) >> limit && limit > 0) bytes = std::min(bytes, limit);
    }
    if (const char* const allowed = std::getenv("FERMAT_MEMORY"); allowed != nullptr) {
        bytes = std::min(bytes, parse_bytes(allowed));
    }
    return bytes;
}

}  // namespace fermat
