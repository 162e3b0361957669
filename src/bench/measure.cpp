#include "bench/measure.hpp"

#include <algorithm>
#include <fstream>
#include <string>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "core/platform.hpp"

namespace fermat::bench {
namespace {

/// A value of /proc/self/status, such as "VmHWM:   1234 kB", in bytes.
std::optional<double> status_bytes(const std::string& key) {
    std::ifstream status("/proc/self/status");
    std::string word;
    double kib = 0;
    while (status >> word) {
        if (word == key && status >> kib) return 1024 * kib;
    }
    return std::nullopt;
}

/// Resets the peak to the present use; false where the system cannot. peak_memory() cannot be
/// reset, and a process inherits that of its parent.
bool reset_peak() {
    std::ofstream file("/proc/self/clear_refs");
    file << '5' << std::flush;
    return file.good();
}

}  // namespace

MemoryProbe::MemoryProbe() {
#ifdef __GLIBC__
    // Memory that the C library keeps from earlier work would hide new allocations.
    ::malloc_trim(0);
#endif
    if (reset_peak()) before_ = status_bytes("VmRSS:");
}

double MemoryProbe::peak_bytes() const {
    if (const auto peak = status_bytes("VmHWM:")) return *peak;
    return peak_memory();
}

std::optional<double> MemoryProbe::grown_bytes() const {
    if (!before_) return std::nullopt;
    return peak_bytes() - *before_;
}

}  // namespace fermat::bench
