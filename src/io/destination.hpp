#pragma once

#include <filesystem>

namespace fermat {

/// Where an output goes.
struct Destination {
    enum class Kind {
        file,        ///< a regular file, existing or not: replaced by a rename
        stream,      ///< a device, a pipe or another process's descriptor: written directly
        descriptor,  ///< one of this process, such as /dev/stdout: written directly
    };
    Kind kind = Kind::file;
    std::filesystem::path path;  ///< with symbolic links followed, also to a missing file
    int descriptor = -1;         ///< set for Kind::descriptor
};

/// Follows the links of a target's name. It stops at a link in /proc/.../fd, which shows only the
/// name that an open file once had. Throws InputError if links form a cycle.
Destination destination_of(const std::filesystem::path& target);

/// True if two names lead to one file, so that writing one destroys the other: the same inode or,
/// if there is no file yet, the same path. /dev/null may be shared.
bool same_file(const std::filesystem::path& one, const std::filesystem::path& other);

}  // namespace fermat
