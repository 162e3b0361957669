#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fermat {

/// Seconds since 1970-01-01T00:00:00 UTC of a date and time such as "2018-11-30T17:29:35.11" with a
/// 'T' or blank between them and perhaps a 'Z' at the end; nothing if the text is not one. Leap
/// seconds are not counted. A double holds it to 0.3 microseconds.
std::optional<double> parse_clock(std::string_view text);

/// The date and time of such seconds, rounded to microseconds: "2018-11-30T17:29:35.110000Z".
/// Beyond the years 0 to 9999 it is the first or the last of them.
std::string clock_text(double seconds);

}  // namespace fermat
