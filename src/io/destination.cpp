#include "io/destination.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <optional>
#include <string>
#include <system_error>

#include "core/error.hpp"
#include "core/platform.hpp"
#include "io/atomic_file.hpp"
#include "io/text.hpp"

namespace fermat {
namespace fs = std::filesystem;
namespace {

constexpr int most_links = 40;  // the limit of the Linux kernel

fs::path folder_of(const fs::path& path) {
    return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

/// The number of this process's own descriptor that a name such as /dev/fd/5 stands for.
std::optional<int> own_descriptor(const fs::path& path, const fs::path& folder) {
    if (path == "/dev/stdin") return 0;
    if (path == "/dev/stdout") return 1;
    if (path == "/dev/stderr") return 2;
    if (!holds_descriptors(folder)) return std::nullopt;
    const auto number = parse_integer(path.filename().string());
    if (!holds_own_descriptors(folder) || !number || *number < 0 || *number > 1'000'000'000)
        return std::nullopt;
    return static_cast<int>(*number);
}

bool is_stream(const fs::path& path) {
    std::error_code ignored;
    const fs::file_status status = fs::status(path, ignored);
    return fs::is_character_file(status) || fs::is_fifo(status) || fs::is_socket(status);
}

bool is_null_device(const struct stat& file) {
    struct stat null {};
    return S_ISCHR(file.st_mode) && ::stat("/dev/null", &null) == 0 && file.st_rdev == null.st_rdev;
}

/// The path under which a missing file would be created.
fs::path place_of(const fs::path& path) {
    try {
        const fs::path end = destination_of(path).path;
        std::error_code ignored;
        return fs::weakly_canonical(folder_of(end), ignored) / end.filename();
    } catch (const InputError&) {
        return path;
    }
}

}  // namespace

Destination destination_of(const fs::path& target) {
    std::error_code error;
    fs::path path = target;
    for (int links = 0; links <= most_links; ++links) {
        const fs::path folder = fs::canonical(folder_of(path), error);
        if (const auto number = own_descriptor(path, folder)) {
            return {Destination::Kind::descriptor, path, *number};
        }
        if (holds_descriptors(folder)) return {Destination::Kind::stream, path};
        if (!fs::is_symlink(fs::symlink_status(path, error))) {
            return {is_stream(path) ? Destination::Kind::stream : Destination::Kind::file, path};
        }
        const fs::path next = fs::read_symlink(path, error);
        if (error) throw InputError(write_failure(target, error.value()));
        path = next.is_absolute() ? next : folder_of(path) / next;
    }
    throw InputError(write_failure(target, ELOOP));
}

bool same_file(const fs::path& one, const fs::path& other) {
    struct stat a {};
    struct stat b {};
    const bool there = ::stat(one.c_str(), &a) == 0;
    if (there != (::stat(other.c_str(), &b) == 0)) return false;
    if (there) return a.st_dev == b.st_dev && a.st_ino == b.st_ino && !is_null_device(a);
    return place_of(one) == place_of(other);
}

}  // namespace fermat
