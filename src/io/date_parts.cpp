#include "io/date_parts.hpp"

#include <cmath>
#include <string>

#include "io/clock.hpp"

namespace fermat {

DateParts date_parts(double seconds, int decimals) {
    const double scale = std::pow(10.0, decimals);
    const std::string text =
        clock_text(std::round(seconds * scale) / scale);  // 2018-11-30T17:29:35.110000Z
    const auto part = [&](std::size_t at, std::size_t count) {
        return std::stoi(text.substr(at, count));
    };
    return {part(0, 4),  part(5, 2),  part(8, 2),
            part(11, 2), part(14, 2), std::stod(text.substr(17, 9))};
}

bool has_date(double seconds) {
    constexpr double first = -62135596800;  // 0001-01-01
    constexpr double last = 253402300799;   // 9999-12-31
    return seconds >= first && seconds <= last;
}

}  // namespace fermat
