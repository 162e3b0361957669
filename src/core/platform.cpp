#include "core/platform.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <thread>

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>
// The others need what it defines.
#include <io.h>
#include <psapi.h>
#else
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#endif
#if defined(__APPLE__)
#include <mach-o/dyld.h>
#include <sys/sysctl.h>
#endif
#if defined(__linux__)
#include <sched.h>
#endif

namespace fermat {
namespace fs = std::filesystem;

#if defined(_WIN32)

fs::path own_program() {
    std::array<wchar_t, 32768> name{};
    const DWORD length = GetModuleFileNameW(nullptr, name.data(), static_cast<DWORD>(name.size()));
    return fs::path(std::wstring(name.data(), length));
}

std::string processor_name() {
    std::array<char, 128> name{};
    DWORD size = name.size();
    const char* const key = "HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0";
    const LSTATUS status = RegGetValueA(HKEY_LOCAL_MACHINE, key, "ProcessorNameString",
                                        RRF_RT_REG_SZ, nullptr, name.data(), &size);
    return status == ERROR_SUCCESS ? std::string(name.data()) : std::string("unknown processor");
}

double physical_memory() {
    MEMORYSTATUSEX status{};
    status.dwLength = sizeof status;
    return GlobalMemoryStatusEx(&status) != 0 ? static_cast<double>(status.ullTotalPhys) : 0.0;
}

double peak_memory() {
    PROCESS_MEMORY_COUNTERS counters{};
    const BOOL known = GetProcessMemoryInfo(GetCurrentProcess(), &counters, sizeof counters);
    return known != 0 ? static_cast<double>(counters.PeakWorkingSetSize) : 0.0;
}

bool holds_descriptors(const fs::path&) { return false; }
bool holds_own_descriptors(const fs::path&) { return false; }

Locked lock_file(int descriptor, FileLock kind) {
    // The lock lies far beyond the end: locked bytes could not be read by others.
    OVERLAPPED at{};
    at.OffsetHigh = 0x40000000;
    const DWORD flags =
        LOCKFILE_FAIL_IMMEDIATELY | (kind == FileLock::alone ? LOCKFILE_EXCLUSIVE_LOCK : 0U);
    auto* const handle = reinterpret_cast<HANDLE>(_get_osfhandle(descriptor));
    if (LockFileEx(handle, flags, 0, 1, 0, &at) != 0) return Locked::yes;
    return GetLastError() == ERROR_LOCK_VIOLATION ? Locked::taken : Locked::unknown;
}

// An open file can be neither renamed nor removed.
bool leads_to(const fs::path&, int) { return true; }

#else

fs::path own_program() {
#if defined(__APPLE__)
    std::array<char, 4096> name{};
    auto size = static_cast<std::uint32_t>(name.size());
    if (_NSGetExecutablePath(name.data(), &size) != 0) return {};
    std::error_code ignored;
    return fs::weakly_canonical(name.data(), ignored);
#else
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    return error ? fs::path() : program;
#endif
}

std::string processor_name() {
#if defined(__APPLE__)
    std::array<char, 256> name{};
    std::size_t size = name.size() - 1;
    if (sysctlbyname("machdep.cpu.brand_string", name.data(), &size, nullptr, 0) == 0) {
        return name.data();
    }
#else
    std::ifstream info("/proc/cpuinfo");
    std::string line;
    while (std::getline(info, line)) {
        if (!line.starts_with("model name")) continue;
        const std::size_t colon = line.find(": ");
        if (colon != std::string::npos) return line.substr(colon + 2);
    }
#endif
    return "unknown processor";
}

double physical_memory() {
    return static_cast<double>(sysconf(_SC_PHYS_PAGES)) *
           static_cast<double>(sysconf(_SC_PAGESIZE));
}

double peak_memory() {
    struct rusage usage {};
    if (::getrusage(RUSAGE_SELF, &usage) != 0) return 0;
#if defined(__APPLE__)
    return static_cast<double>(usage.ru_maxrss);  // bytes there, KiB elsewhere
#else
    return 1024.0 * static_cast<double>(usage.ru_maxrss);
#endif
}

bool holds_descriptors(const fs::path& folder) {
#if defined(__APPLE__)
    return folder == "/dev/fd";
#else
    return folder.filename() == "fd" && folder.string().starts_with("/proc/");
#endif
}

bool holds_own_descriptors(const fs::path& folder) {
#if defined(__APPLE__)
    return folder == "/dev/fd";
#else
    std::error_code ignored;
    return folder == fs::canonical("/proc/self/fd", ignored) ||
           folder == fs::canonical("/proc/thread-self/fd", ignored);
#endif
}

Locked lock_file(int descriptor, FileLock kind) {
    const int what = kind == FileLock::alone ? LOCK_EX : LOCK_SH;
    if (::flock(descriptor, what | LOCK_NB) == 0) return Locked::yes;
    return errno == EWOULDBLOCK ? Locked::taken : Locked::unknown;
}

bool leads_to(const fs::path& path, int descriptor) {
    struct stat open {};
    struct stat named {};
    return ::fstat(descriptor, &open) == 0 && ::lstat(path.c_str(), &named) == 0 &&
           open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

#endif

int usable_processors() {
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
#endif
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace fermat
