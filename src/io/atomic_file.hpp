#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "io/temporary_file.hpp"

namespace fermat {

/// A file that appears whole or not at all: it is written under a temporary name in the folder of
/// its target and renamed at the end. Without commit() the temporary file is removed and a file
/// that was there before stays as it was.
class AtomicFile {
  public:
    /// Creates the temporary file, so that a missing folder or a missing permission is told before
    /// the work is done. Throws InputError, also where the target is a device, pipe or descriptor.
    explicit AtomicFile(const std::filesystem::path& target);

    /// The name the user gave, for messages.
    const std::filesystem::path& target() const { return target_; }
    /// Where to write, by name and as an open file.
    const std::filesystem::path& temporary() const { return temporary_.path(); }
    int descriptor() const { return temporary_.descriptor(); }

    /// Brings the bytes to the disk and the file to its name. Throws ComputeError.
    void commit();

  private:
    std::filesystem::path target_;
    std::filesystem::path destination_;  ///< target with symbolic links followed
    TemporaryFile temporary_;
};

/// Buffered bytes into an AtomicFile. A device, a pipe or a descriptor (such as /dev/stdout,
/// whatever it leads to) is written straight.
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
    std::unique_ptr<AtomicFile> file_;  ///< empty for what is written straight
    int stream_ = -1;
    std::string buffer_;
};

/// The sentence for a failed write: "cannot write 'run/m.h5': No space left on device".
std::string write_failure(const std::filesystem::path& file, int error_number);

}  // namespace fermat
