#pragma once

#include <span>
#include <string>
#include <string_view>

namespace fermat::cli {

/// A JSON string for the script of a page. '<' is escaped, so that no content ends the script
/// element.
std::string json_text(std::string_view text);

/// A JSON number; null if it is not finite, which JSON cannot express.
std::string json_number(double value);

/// Values as little-endian float32 in base64, in a JSON string.
std::string json_floats(std::span<const float> values);

}  // namespace fermat::cli
