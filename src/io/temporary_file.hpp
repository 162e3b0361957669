#pragma once

#include <filesystem>

namespace fermat {

/// A new file beside a destination, under a name of its own, that is removed unless it is kept.
///
/// Its name tells which output it belongs to, and a lock of the system on it tells that its writer
/// lives. So a file that a killed run left is known, and the next one that writes the same output
/// removes it; a file under work is left alone, also one of another container or machine. Where the
/// file system has no locks, nothing is removed and a name by chance is taken.
class TemporaryFile {
  public:
    /// Throws std::system_error where no file can be made.
    explicit TemporaryFile(const std::filesystem::path& destination);
    ~TemporaryFile();
    TemporaryFile(TemporaryFile&& other) noexcept;
    TemporaryFile& operator=(TemporaryFile&&) = delete;

    const std::filesystem::path& path() const { return path_; }
    /// Open for reading and writing until the file is renamed.
    int descriptor() const { return descriptor_; }
    /// Gives the file the name of a destination and closes it. False, with errno, where the system
    /// refuses.
    bool rename_to(const std::filesystem::path& destination);

  private:
    std::filesystem::path path_;  ///< empty once renamed
    int descriptor_ = -1;
};

/// Removes the temporary files of the whole process. It may be called by a handler of signals.
void remove_temporary_files() noexcept;

}  // namespace fermat
