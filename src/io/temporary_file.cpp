#include "io/temporary_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <mutex>
#include <random>
#include <string>
#include <system_error>
#include <utility>

#include "core/fingerprint.hpp"
#include "core/platform.hpp"

namespace fermat {
namespace fs = std::filesystem;
namespace {

/// Up to this many concurrent writers of one output get numbered names; more get random names.
constexpr int slots = 8;
constexpr int most_tries = 100;

/// An entry in the list of names for the signal handler. Entries are never freed, so that the
/// handler may walk the list at any time. They are reused, so there are few.
struct Entry {
    std::string path;
    std::atomic<bool> live{true};
    Entry* next = nullptr;
};
std::atomic<Entry*> entries{nullptr};
std::mutex entries_mutex;

Entry* find_entry(const std::string& path) {
    for (Entry* entry = entries; entry != nullptr; entry = entry->next) {
        if (entry->path == path) return entry;
    }
    return nullptr;
}

void remember(const fs::path& path) {
    const std::lock_guard lock(entries_mutex);
    if (Entry* known = find_entry(path.string())) {
        known->live = true;
        return;
    }
    auto* entry = new Entry;
    entry->path = path.string();
    entry->next = entries;
    entries = entry;
}

void forget(const fs::path& path) {
    const std::lock_guard lock(entries_mutex);
    if (Entry* known = find_entry(path.string())) known->live = false;
}

/// The temporary name does not contain the name of the destination, which may already have the
/// maximum length.
fs::path name_for(const fs::path& destination, const std::string& last) {
    Fingerprint print;
    print.add(std::string_view(destination.filename().native()));
    return destination.parent_path() / fmt::format(".fermat-{}-{}.part", print.text(), last);
}

std::string chance() {
    std::random_device device;
    return fmt::format("{:08x}{:08x}", device(), device());
}

/// Removes a file whose writer has ended. True if the name is free now.
bool remove_if_stale(const fs::path& path) {
    const int descriptor =
        ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0) return errno == ENOENT;
    struct stat file {};
    const bool ours =
        ::fstat(descriptor, &file) == 0 && S_ISREG(file.st_mode) && file.st_uid == ::geteuid();
    bool free = false;
    if (ours && lock_file(descriptor, FileLock::alone) == Locked::yes) {
        // Nobody else removes or renames the file under the lock: the path leads to the open file.
        free = !leads_to(path, descriptor) || ::unlink(path.c_str()) == 0;
    }
    ::close(descriptor);
    return free;
}

/// Creates and locks a new file. Returns -1 with errno if the name is taken or the system refuses.
int create_locked(const fs::path& path) {
    const int descriptor =
        ::open(path.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (descriptor < 0) return -1;
    const bool refused = lock_file(descriptor, FileLock::alone) == Locked::taken;
    // Another writer may have removed the file as stale before it was locked.
    if (!refused && leads_to(path, descriptor)) return descriptor;
    ::close(descriptor);
    errno = EEXIST;
    return -1;
}

}  // namespace

TemporaryFile::TemporaryFile(const fs::path& destination) {
    for (int tries = 0; descriptor_ < 0; ++tries) {
        const int slot = tries % (slots + 1);
        path_ = name_for(destination, slot < slots ? std::to_string(slot) : chance());
        descriptor_ = create_locked(path_);
        int error = errno;
        if (descriptor_ < 0 && error == EEXIST && remove_if_stale(path_)) {
            descriptor_ = create_locked(path_);
            error = errno;
        }
        if (descriptor_ < 0 && (error != EEXIST || tries == most_tries)) {
            throw std::system_error(error, std::generic_category());
        }
    }
    remember(path_);
    for (int slot = 0; slot < slots; ++slot) {
        const fs::path other = name_for(destination, std::to_string(slot));
        if (other != path_) remove_if_stale(other);
    }
}

TemporaryFile::TemporaryFile(TemporaryFile&& other) noexcept
    : path_(std::exchange(other.path_, fs::path())),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

TemporaryFile::~TemporaryFile() {
    if (!path_.empty()) {
        forget(path_);
        ::unlink(path_.c_str());
    }
    if (descriptor_ >= 0) ::close(descriptor_);
}

bool TemporaryFile::rename_to(const fs::path& destination) {
    // Forget the path first: after the rename, another writer may use it.
    forget(path_);
    if (::rename(path_.c_str(), destination.c_str()) != 0) return false;
    path_.clear();
    // Closing also ends the lock, so that others may use the file.
    ::close(std::exchange(descriptor_, -1));
    return true;
}

void remove_temporary_files() noexcept {
    for (Entry* entry = entries; entry != nullptr; entry = entry->next) {
        if (entry->live.exchange(false)) ::unlink(entry->path.c_str());
    }
}

}  // namespace fermat
