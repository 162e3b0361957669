#include "io/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <system_error>
#include <utility>

#include "core/error.hpp"

namespace fermat {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t buffer_size = 1 << 20;

std::string reason(int error_number) { return std::generic_category().message(error_number); }

bool is_stream(const fs::path& target) {
    std::error_code ignored;
    const fs::file_status status = fs::status(target, ignored);
    return fs::is_character_file(status) || fs::is_fifo(status) || fs::is_socket(status);
}

/// Follows a symbolic link, so that the file it points to is replaced and not the link.
fs::path follow_links(const fs::path& target) {
    std::error_code error;
    if (!fs::is_symlink(fs::symlink_status(target, error))) return target;
    const fs::path end = fs::weakly_canonical(target, error);
    return error ? target : end;
}

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
    // A rename would replace a read-only file that the user meant to protect.
    if (::access(destination.c_str(), W_OK) != 0) {
        throw InputError(write_failure(target, errno));
    }
}

/// A name no other process or thread uses. It leaves out the target's own name, which may already
/// be as long as the file system allows.
fs::path temporary_name(const fs::path& destination) {
    static std::atomic<unsigned> counter{0};
    return destination.parent_path() / fmt::format(".fermat-{}-{}.part", ::getpid(), counter++);
}

void write_all(int descriptor, std::string_view bytes, const fs::path& target) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) throw ComputeError(write_failure(target, errno));
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}

}  // namespace

std::string write_failure(const fs::path& file, int error_number) {
    return fmt::format("cannot write '{}': {}", file.string(), reason(error_number));
}

AtomicFile::AtomicFile(const fs::path& target)
    : target_(target), destination_(follow_links(target)) {
    check_target(target_, destination_);
    struct stat old {};
    const bool replaces = ::stat(destination_.c_str(), &old) == 0;
    const fs::path name = temporary_name(destination_);
    const int descriptor = ::open(name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    if (descriptor < 0) throw InputError(write_failure(target_, errno));
    // The new file keeps the permissions of the one it replaces; without the right to set them,
    // those of a new file do.
    if (replaces && ::fchmod(descriptor, old.st_mode & 07777) != 0) errno = 0;
    ::close(descriptor);
    temporary_ = name;
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : target_(std::move(other.target_)),
      destination_(std::move(other.destination_)),
      temporary_(std::exchange(other.temporary_, fs::path())) {}

AtomicFile::~AtomicFile() {
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::commit() {
    // Without the flush, a power cut after the rename could leave the name with an empty file.
    const int descriptor = ::open(temporary_.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) throw ComputeError(write_failure(target_, errno));
    const int flushed = ::fsync(descriptor);
    const int flush_error = errno;
    ::close(descriptor);
    if (flushed != 0 && flush_error != EINVAL) {
        throw ComputeError(write_failure(target_, flush_error));
    }
    if (::rename(temporary_.c_str(), destination_.c_str()) != 0) {
        throw ComputeError(write_failure(target_, errno));
    }
    temporary_.clear();
}

OutputFile::OutputFile(const fs::path& target) : target_(target) {
    const bool stream = is_stream(target);
    if (!stream) file_ = std::make_unique<AtomicFile>(target);
    const fs::path& name = stream ? target_ : file_->temporary();
    descriptor_ = ::open(name.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) throw InputError(write_failure(target_, errno));
    buffer_.reserve(buffer_size);
}

OutputFile::~OutputFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

void OutputFile::write(std::string_view bytes) {
    if (buffer_.size() + bytes.size() > buffer_size) flush();
    if (bytes.size() >= buffer_size) {
        write_all(descriptor_, bytes, target_);
    } else {
        buffer_ += bytes;
    }
}

void OutputFile::flush() {
    write_all(descriptor_, buffer_, target_);
    buffer_.clear();
}

void OutputFile::commit() {
    flush();
    // Network file systems report a full disk only here.
    if (::close(std::exchange(descriptor_, -1)) != 0) {
        throw ComputeError(write_failure(target_, errno));
    }
    if (file_) file_->commit();
}

}  // namespace fermat
