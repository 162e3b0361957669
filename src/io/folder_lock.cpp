#include "io/folder_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>

#include "core/error.hpp"
#include "core/platform.hpp"
#include "io/atomic_file.hpp"

namespace fermat {
namespace fs = std::filesystem;
namespace {

std::string who_we_are() {
    std::array<char, 256> host{};
    if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
    return fmt::format("process {} on {}", ::getpid(), host.data());
}

std::string who_has(int descriptor) {
    std::string text(300, '\0');
    const ssize_t got = ::pread(descriptor, text.data(), text.size(), 0);
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return text.empty() ? "another process" : text;
}

}  // namespace

FolderLock::FolderLock(const fs::path& folder) : file_(folder / ".fermat.lock") {
    // A process that ends removes its file, so the file locked here may no longer be the lock.
    while (descriptor_ < 0) {
        const int opened =
            ::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
        if (opened < 0) throw InputError(write_failure(file_, errno));
        if (lock_file(opened, FileLock::alone) == Locked::taken) {
            const std::string who = who_has(opened);
            ::close(opened);
            throw InputError(
                fmt::format("'{}' is the folder of an inversion that is running ({}; wait for its "
                            "end, or write into another folder)",
                            folder.string(), who));
        }
        if (leads_to(file_, opened)) {
            descriptor_ = opened;
        } else {
            ::close(opened);
        }
    }
    const std::string text = who_we_are();
    if (::ftruncate(descriptor_, 0) != 0 ||
        ::pwrite(descriptor_, text.data(), text.size(), 0) < 0) {
        errno = 0;  // used only for the message above
    }
}

bool FolderLock::is_held(const fs::path& folder) {
    const fs::path file = folder / ".fermat.lock";
    const int opened = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (opened < 0) return false;
    // Without a lock file there is nothing to ask; a lock that is held is not disturbed.
    const bool held = lock_file(opened, FileLock::shared) == Locked::taken;
    ::close(opened);
    return held;
}

FolderLock::~FolderLock() {
    ::unlink(file_.c_str());
    ::close(descriptor_);
}

}  // namespace fermat
