#pragma once

#include <filesystem>

namespace fermat {

/// While alive, one process owns the folder: a second lock on it fails. It is a system lock on a
/// hidden file, so it ends with its process in any case. File systems without locks never refuse
/// it.
class FolderLock {
  public:
    /// Throws InputError if another process has the lock, or if the folder cannot be written.
    explicit FolderLock(const std::filesystem::path& folder);
    ~FolderLock();
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;

    /// Whether another process has the lock now.
    static bool is_held(const std::filesystem::path& folder);

  private:
    std::filesystem::path file_;
    int descriptor_ = -1;
};

}  // namespace fermat
