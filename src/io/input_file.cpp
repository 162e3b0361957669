#include "io/input_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "io/gzip.hpp"

namespace fermat {
namespace {

constexpr std::uint64_t max_whole_file = std::uint64_t{16} << 30;
// A packed file can be a thousand times smaller than its content: a hostile one fills the memory.
constexpr std::uint64_t max_unpacked = std::uint64_t{2} << 30;

InputError read_failure(const std::filesystem::path& path, int error_number) {
    return InputError(fmt::format("cannot read '{}': {}", path.string(),
                                  std::generic_category().message(error_number)));
}

}  // namespace

InputFile::InputFile(const std::filesystem::path& path) : path_(path) {
    // O_NONBLOCK: opening a pipe without a writer must not block forever.
    descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor_ < 0) throw read_failure(path, errno);
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
        ::close(descriptor_);
        throw InputError(fmt::format(
            "cannot read '{}': it is {}", path.string(),
            S_ISDIR(status.st_mode) ? "a folder (a file is needed)" : "not a regular file"));
    }
    size_ = static_cast<std::uint64_t>(status.st_size);
    try {
        unpack();
    } catch (...) {
        ::close(descriptor_);
        throw;
    }
}

InputFile::~InputFile() { ::close(descriptor_); }

void InputFile::unpack() {
    constexpr std::size_t marks = 3;
    std::string packed(marks, '\0');
    if (size_ < marks) return;
    read(0, std::as_writable_bytes(std::span(packed)));
    if (!is_gzip(packed)) return;
    packed.resize(whole_size());
    read(0, std::as_writable_bytes(std::span(packed)));
    unpacked_ = unpack_gzip(packed, path_, max_unpacked);
    is_packed_ = true;
    size_ = unpacked_.size();
}

std::size_t InputFile::whole_size() const {
    if (size_ <= max_whole_file) return static_cast<std::size_t>(size_);
    throw InputError(fmt::format("'{}' has {} bytes (at most {} can be read)", path_.string(),
                                 size_, max_whole_file));
}

void InputFile::read(std::uint64_t offset, std::span<std::byte> bytes) const {
    if (is_packed_ && offset <= size_ && bytes.size() <= size_ - offset) {
        std::memcpy(bytes.data(), unpacked_.data() + offset, bytes.size());
        return;
    }
    if (is_packed_) throw ends_early(offset, bytes.size());
    while (!bytes.empty()) {
        const ssize_t got =
            ::pread(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) throw read_failure(path_, errno);
        if (got == 0) throw ends_early(offset, bytes.size());
        offset += static_cast<std::uint64_t>(got);
        bytes = bytes.subspan(static_cast<std::size_t>(got));
    }
}

InputError InputFile::ends_early(std::uint64_t offset, std::size_t bytes) const {
    return InputError(
        fmt::format("'{}' ends at byte {} (it is truncated; {} more bytes were expected)",
                    path_.string(), offset, bytes));
}

std::string read_whole_file(const std::filesystem::path& path) {
    const InputFile file(path);
    std::string text(file.whole_size(), '\0');
    file.read(0, std::as_writable_bytes(std::span(text)));
    return text;
}

}  // namespace fermat
