#pragma once

#include <string>
#include <string_view>

namespace fermat {

/// Makes a foreign text, such as a file name, safe for a line that people read. Line ends become
/// blanks; other control characters, which could steer a terminal, and bytes that are not UTF-8
/// become '?'.
std::string printable(std::string_view text);

}  // namespace fermat
