#pragma once

#include <filesystem>

namespace fermat {

/// Where the bytes of an output go.
struct Destination {
    enum class Kind {
        file,        ///< a regular file, there or yet to be made: renamed into place
        stream,      ///< a device or pipe, or another process's descriptor: written straight
        descriptor,  ///< one of our own, such as /dev/stdout: written straight
    };
    Kind kind = Kind::file;
    std::filesystem::path path;  ///< with symbolic links followed, also those to nothing
    int descriptor = -1;         ///< of Kind::descriptor
};

/// Follows the links of a target's name. A link into /proc/.../fd ends there: what it seems to
/// point to is only the name that an open file once had. Throws InputError where links go round.
Destination destination_of(const std::filesystem::path& target);

/// True where two names lead to one file, so that writing the one destroys the other: the same
/// inode, or the same place where nothing is there yet. Everybody may share /dev/null.
bool same_file(const std::filesystem::path& one, const std::filesystem::path& other);

}  // namespace fermat
