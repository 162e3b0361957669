#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "core/error.hpp"

namespace fermat {

/// A regular file open for reading; one of gzip shows what it packs, of which at most 2 GiB are
/// unpacked. Every failure throws InputError that names the file.
class InputFile {
  public:
    explicit InputFile(const std::filesystem::path& path);
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    std::uint64_t size() const { return size_; }
    /// Fills `bytes` from `offset`. Throws if the file is shorter.
    void read(std::uint64_t offset, std::span<std::byte> bytes) const;

    /// The size of a file that is read as a whole. Throws over 16 GiB.
    std::size_t whole_size() const;

  private:
    void unpack();
    InputError ends_early(std::uint64_t offset, std::size_t bytes) const;

    std::filesystem::path path_;
    int descriptor_ = -1;
    std::uint64_t size_ = 0;
    bool is_packed_ = false;
    std::string unpacked_;
};

/// All bytes of a file. Throws InputError over 16 GiB.
std::string read_whole_file(const std::filesystem::path& path);

}  // namespace fermat
