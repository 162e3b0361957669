#pragma once

#include <span>
#include <string>
#include <string_view>

namespace fermat::cli {

/// A JSON text for a page's script: '<' is escaped, so that no content ends the script element.
std::string json_text(std::string_view text);

/// A number; null where it is not finite, which JSON cannot write.
std::string json_number(double value);

/// Little-endian float32 in base64, as a JSON text.
std::string json_floats(std::span<const float> values);

}  // namespace fermat::cli
