#pragma once

#include <filesystem>

namespace fermat {

/// While alive, the folder is that of one process: a second lock on it fails. It is a lock of the
/// system on a hidden file, so it ends with its process, however that ends. File systems without
/// locks let everybody in.
class FolderLock {
  public:
    /// Throws InputError where another process has it, or where the folder cannot be written.
    explicit FolderLock(const std::filesystem::path& folder);
    ~FolderLock();
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;

  private:
    std::filesystem::path file_;
    int descriptor_ = -1;
};

}  // namespace fermat
