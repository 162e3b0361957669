#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace fermat {

/// True if the bytes begin as a file of gzip does.
bool is_gzip(std::string_view bytes);

/// A file of gzip with this content, and no time and name of its own: the same bytes for the same
/// content.
std::string pack_gzip(std::string_view content);

/// The content of a file of gzip, also of several parts one after another. Throws InputError that
/// names the file if it is damaged, ends early, or would be more than `most` bytes.
std::string unpack_gzip(std::string_view packed, const std::filesystem::path& path,
                        std::size_t most);

}  // namespace fermat
