#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "io/temporary_file.hpp"

namespace fermat {

/// A file that appears complete or not at all. It is written under a temporary name in the folder
/// of its target and renamed at the end. Without commit() the temporary file is removed, and an
/// earlier file stays as it was.
class AtomicFile {
  public:
    /// Creates the temporary file, so that a missing folder or permission is reported before the
    /// work is done. Throws InputError, also if the target is a device, pipe or descriptor.
    explicit AtomicFile(const std::filesystem::path& target);

    /// The name that the user gave, for messages.
    const std::filesystem::path& target() const { return target_; }
    /// The file to write, by name and as a descriptor.
    const std::filesystem::path& temporary() const { return temporary_.path(); }
    int descriptor() const { return temporary_.descriptor(); }

    /// Flushes the file to disk and renames it. Throws ComputeError.
    void commit();

  private:
    std::filesystem::path target_;
    std::filesystem::path destination_;  ///< target with symbolic links followed
    TemporaryFile temporary_;
};

/// Buffered output to an AtomicFile. A device, a pipe or a descriptor (such as /dev/stdout,
/// whatever it leads to) is written directly.
class OutputFile {
  public:
    explicit OutputFile(const std::filesystem::path& target);
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    void write(std::string_view bytes);
    void commit();

  private:
    int descriptor() const { return file_ ? file_->descriptor() : stream_; }
    void flush();

    std::filesystem::path target_;
    std::unique_ptr<AtomicFile> file_;  ///< empty for targets that are written directly
    int stream_ = -1;
    std::string buffer_;
};

/// Throws InputError if a file could not be written under this name, before the work is done whose
/// result it is to hold. Devices, pipes and descriptors are not tried.
void require_writable(const std::filesystem::path& target);

/// The message of a failed write: "cannot write 'run/m.h5': No space left on device".
std::string write_failure(const std::filesystem::path& file, int error_number);

}  // namespace fermat
