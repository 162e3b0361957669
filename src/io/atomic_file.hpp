#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace fermat {

/// A file that appears whole or not at all: it is written under a temporary name in the folder of
/// its target and renamed at the end. Without commit() the temporary file is removed and a file
/// that was there before stays as it was.
class AtomicFile {
  public:
    /// Creates the temporary file, so that a missing folder or a missing permission is told before
    /// the work is done. Throws InputError.
    explicit AtomicFile(const std::filesystem::path& target);
    ~AtomicFile();
    AtomicFile(AtomicFile&& other) noexcept;
    AtomicFile& operator=(AtomicFile&&) = delete;

    /// The name the user gave, for messages.
    const std::filesystem::path& target() const { return target_; }
    /// Where to write.
    const std::filesystem::path& temporary() const { return temporary_; }

    /// Brings the bytes to the disk and the file to its name. Throws ComputeError.
    void commit();

  private:
    std::filesystem::path target_;
    std::filesystem::path destination_;  ///< target with symbolic links followed
    std::filesystem::path temporary_;    ///< empty once committed
};

/// Buffered bytes into an AtomicFile. A device or pipe (such as /dev/stdout) is written directly.
class OutputFile {
  public:
    explicit OutputFile(const std::filesystem::path& target);
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    void write(std::string_view bytes);
    void commit();

  private:
    void flush();

    std::filesystem::path target_;
    std::unique_ptr<AtomicFile> file_;  ///< empty for a device
    int descriptor_ = -1;
    std::string buffer_;
};

/// The sentence for a failed write: "cannot write 'run/m.h5': No space left on device".
std::string write_failure(const std::filesystem::path& file, int error_number);

}  // namespace fermat
