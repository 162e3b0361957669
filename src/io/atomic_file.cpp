#include "io/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "core/error.hpp"
#include "io/destination.hpp"
#include "io/gzip.hpp"
#include "io/suffix.hpp"

namespace fermat {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t buffer_size = 1 << 20;

std::string reason(int error_number) { return std::generic_category().message(error_number); }

void check_target(const fs::path& target, const fs::path& destination) {
    std::error_code ignored;
    const fs::file_status status = fs::status(destination, ignored);
    if (target.filename().empty() || fs::is_directory(status)) {
        throw InputError(fmt::format("cannot write '{}': it is a folder (a file name is needed)",
                                     target.string()));
    }
    const fs::path folder = destination.parent_path();
    if (!folder.empty() && !fs::exists(folder, ignored)) {
        throw InputError(fmt::format("cannot write '{}': folder '{}' does not exist",
                                     target.string(), folder.string()));
    }
    if (!fs::exists(status)) return;
    if (!fs::is_regular_file(status)) {
        throw InputError(
            fmt::format("cannot write '{}': it is not a regular file", target.string()));
    }
    // A rename would replace a read-only file that the user wants to protect.
    if (::access(destination.c_str(), W_OK) != 0) {
        throw InputError(write_failure(target, errno));
    }
}

/// The file that a target's name leads to. Throws InputError for anything that a rename cannot
/// replace.
fs::path file_of(const fs::path& target) {
    const Destination destination = destination_of(target);
    if (destination.kind != Destination::Kind::file) {
        throw InputError(
            fmt::format("cannot write '{}': it is not a regular file", target.string()));
    }
    check_target(target, destination.path);
    return destination.path;
}

TemporaryFile create_beside(const fs::path& destination, const fs::path& target) {
    try {
        return TemporaryFile(destination);
    } catch (const std::system_error& error) {
        throw InputError(write_failure(target, error.code().value()));
    }
}

/// Duplicates the process's own descriptor, which keeps its file position and append mode (>>). A
/// file opened again by its name would not.
int open_stream(const Destination& destination, const fs::path& target) {
    int descriptor = -1;
    if (destination.kind == Destination::Kind::descriptor) {
        const int flags = ::fcntl(destination.descriptor, F_GETFL);
        if (flags >= 0 && (flags & O_ACCMODE) == O_RDONLY) {
            throw InputError(fmt::format("cannot write '{}': it is open for reading only or closed",
                                         target.string()));
        }
        descriptor = ::fcntl(destination.descriptor, F_DUPFD_CLOEXEC, 3);
    } else {
        descriptor = ::open(destination.path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY);
    }
    if (descriptor < 0) throw InputError(write_failure(target, errno));
    return descriptor;
}

void write_all(int descriptor, std::string_view bytes, const fs::path& target) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) throw ComputeError(write_failure(target, errno));
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}

/// All bytes of a file from its beginning.
std::string read_all(int descriptor, const fs::path& target) {
    std::string bytes;
    if (::lseek(descriptor, 0, SEEK_SET) != 0) throw ComputeError(write_failure(target, errno));
    for (;;) {
        const std::size_t before = bytes.size();
        bytes.resize(before + buffer_size);
        const ssize_t count = ::read(descriptor, bytes.data() + before, buffer_size);
        bytes.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) throw ComputeError(write_failure(target, errno));
        if (count == 0) return bytes;
    }
}

/// A file that is named as one of gzip becomes one.
void pack(int descriptor, const fs::path& target) {
    const std::string packed = pack_gzip(read_all(descriptor, target));
    if (::ftruncate(descriptor, 0) != 0 || ::lseek(descriptor, 0, SEEK_SET) != 0) {
        throw ComputeError(write_failure(target, errno));
    }
    write_all(descriptor, packed, target);
}

}  // namespace

std::string write_failure(const fs::path& file, int error_number) {
    return fmt::format("cannot write '{}': {}", file.string(), reason(error_number));
}

void require_writable(const fs::path& target) {
    if (destination_of(target).kind != Destination::Kind::file) return;
    const AtomicFile unused(target);
}

AtomicFile::AtomicFile(const fs::path& target)
    : target_(target),
      destination_(file_of(target)),
      temporary_(create_beside(destination_, target)) {
    // The new file gets the permissions of the one it replaces. Without the right to set them, it
    // keeps those of a new file.
    struct stat old {};
    const bool replaces = ::stat(destination_.c_str(), &old) == 0;
    if (replaces && ::fchmod(descriptor(), old.st_mode & 07777) != 0) errno = 0;
}

void AtomicFile::commit() {
    if (suffix_of(target_) == ".gz") pack(descriptor(), target_);
    // Without the flush, a power cut after the rename could leave an empty file under the name.
    // Network file systems report a full disk only here.
    if (::fsync(descriptor()) != 0 && errno != EINVAL) {
        throw ComputeError(write_failure(target_, errno));
    }
    if (!temporary_.rename_to(destination_)) throw ComputeError(write_failure(target_, errno));
}

OutputFile::OutputFile(const fs::path& target) : target_(target) {
    const Destination destination = destination_of(target);
    if (destination.kind == Destination::Kind::file) {
        file_ = std::make_unique<AtomicFile>(target);
    } else {
        stream_ = open_stream(destination, target);
    }
    buffer_.reserve(buffer_size);
}

OutputFile::~OutputFile() {
    if (stream_ >= 0) ::close(stream_);
}

void OutputFile::write(std::string_view bytes) {
    if (buffer_.size() + bytes.size() > buffer_size) flush();
    if (bytes.size() >= buffer_size) {
        write_all(descriptor(), bytes, target_);
    } else {
        buffer_ += bytes;
    }
}

void OutputFile::flush() {
    write_all(descriptor(), buffer_, target_);
    buffer_.clear();
}

void OutputFile::commit() {
    flush();
    if (file_) file_->commit();
    if (stream_ >= 0 && ::close(std::exchange(stream_, -1)) != 0) {
        throw ComputeError(write_failure(target_, errno));
    }
}

}  // namespace fermat
