#pragma once

#include <filesystem>
#include <string>

namespace fermat {

// What Linux, macOS and Windows do in different ways. Code beyond platform.cpp, huge_pages.cpp and
// crew.cpp (whose threads sleep on a futex where there is one) asks no system by its name.

/// The file of the running program; empty where the system does not tell it.
std::filesystem::path own_program();

/// The name of the processor, or "unknown processor".
std::string processor_name();

/// Bytes of memory that the machine has.
double physical_memory();

/// The most bytes of memory that the process has held.
double peak_memory();

/// Processors on which the process may run, at least 1.
int usable_processors();

/// Whether a name is that of a folder in which the system keeps the open files of processes, such
/// as /proc/12/fd or /dev/fd.
bool holds_descriptors(const std::filesystem::path& folder);

/// Whether such a folder is that of this process.
bool holds_own_descriptors(const std::filesystem::path& folder);

enum class FileLock { shared, alone };

enum class Locked {
    yes,
    taken,    ///< another process has locked it
    unknown,  ///< files there cannot be locked, as on some network disks
};

/// Locks an open file until it is closed, and does not wait.
Locked lock_file(int descriptor, FileLock kind);

/// Whether a path still leads to an open file, which may have been renamed or removed since.
bool leads_to(const std::filesystem::path& path, int descriptor);

}  // namespace fermat
