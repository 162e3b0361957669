#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace fermat {

/// A regular file open for reading. Every failure throws InputError that names the file.
class InputFile {
  public:
    explicit InputFile(const std::filesystem::path& path);
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    std::uint64_t size() const { return size_; }
    /// Fills `bytes` from `offset`. Throws if the file is shorter.
    void read(std::uint64_t offset, std::span<std::byte> bytes) const;

  private:
    std::filesystem::path path_;
    int descriptor_ = -1;
    std::uint64_t size_ = 0;
};

/// All bytes of a file, those of gzip unpacked. Throws InputError over 16 GiB, unpacked over 2 GiB.
std::string read_whole_file(const std::filesystem::path& path);

}  // namespace fermat
