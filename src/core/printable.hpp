#pragma once

#include <string>
#include <string_view>

namespace fermat {

/// A text of others, such as the name of a file, for a line that people read: ends of lines become
/// blanks; other control characters, by which a terminal could be steered, and bytes that are no
/// UTF-8 become '?'.
std::string printable(std::string_view text);

}  // namespace fermat
