#pragma once

#include <filesystem>

namespace fermat {

/// A new file beside a destination, under its own name, which is removed unless it is renamed.
///
/// Its name says which output it belongs to, and a system lock on it says that its writer is alive.
/// The next writer of the same output therefore recognises and removes a file that a killed run
/// left; a file in use is left alone, also if its writer is in another container or on another
/// machine. If the file system has no locks, nothing is removed and the name is random.
class TemporaryFile {
  public:
    /// Throws std::system_error if no file can be created.
    explicit TemporaryFile(const std::filesystem::path& destination);
    ~TemporaryFile();
    TemporaryFile(TemporaryFile&& other) noexcept;
    TemporaryFile& operator=(TemporaryFile&&) = delete;

    const std::filesystem::path& path() const { return path_; }
    /// Open for reading and writing until the file is renamed.
    int descriptor() const { return descriptor_; }
    /// Renames the file to a destination and closes it. False with errno if the system refuses.
    bool rename_to(const std::filesystem::path& destination);

  private:
    std::filesystem::path path_;  ///< empty once renamed
    int descriptor_ = -1;
};

/// Removes all temporary files of the process. A signal handler may call it.
void remove_temporary_files() noexcept;

}  // namespace fermat
