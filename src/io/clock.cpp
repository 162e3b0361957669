#include "io/clock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>

#include "io/text.hpp"

namespace fermat {
namespace {

/// The whole number in a part of a text; nothing unless it is digits alone.
std::optional<int> digits(std::string_view text) {
    if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) {
        return std::nullopt;
    }
    const auto value = parse_integer(text);
    return value ? std::optional<int>(static_cast<int>(*value)) : std::nullopt;
}

}  // namespace

std::optional<double> parse_clock(std::string_view text) {
    text = trim(text);
    if (text.size() < 16 || text.size() > 40) return std::nullopt;
    if (text.back() == 'Z') text.remove_suffix(1);
    const bool marked =
        text[4] == '-' && text[7] == '-' && (text[10] == 'T' || text[10] == ' ') && text[13] == ':';
    if (!marked || (text.size() > 16 && text[16] != ':')) return std::nullopt;
    const auto year = digits(text.substr(0, 4));
    const auto month = digits(text.substr(5, 2));
    const auto day = digits(text.substr(8, 2));
    const auto hour = digits(text.substr(11, 2));
    const auto minute = digits(text.substr(14, 2));
    std::optional<double> second = 0.0;
    if (text.size() > 16) {
        const std::string_view rest = text.substr(17);
        const bool plain = rest.find_first_not_of("0123456789.") == std::string_view::npos;
        second = plain ? parse_number(rest) : std::nullopt;
    }
    if (!year || !month || !day || !hour || !minute || !second) return std::nullopt;
    // 60 s is the leap second, and what catalogues write by rounding.
    if (*hour > 23 || *minute > 59 || !(*second < 61)) return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year(*year),
                                           std::chrono::month(static_cast<unsigned>(*month)),
                                           std::chrono::day(static_cast<unsigned>(*day))};
    if (!date.ok()) return std::nullopt;
    const auto days = std::chrono::sys_days(date).time_since_epoch().count();
    return static_cast<double>(days) * 86400 + *hour * 3600 + *minute * 60 + *second;
}

std::string clock_text(double seconds) {
    constexpr double first = -62167219200;  // year 0
    constexpr double last = 253402300799;   // year 9999
    const double shown = seconds > first ? std::min(seconds, last) : first;
    const auto micro = static_cast<std::int64_t>(std::llround(shown * 1e6));
    constexpr std::int64_t per_day = 86400000000;
    const std::int64_t day = (micro >= 0 ? micro : micro - per_day + 1) / per_day;
    const std::int64_t rest = micro - day * per_day;
    const std::chrono::year_month_day date{
        std::chrono::sys_days(std::chrono::days(static_cast<int>(day)))};
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z", int(date.year()),
                       unsigned(date.month()), unsigned(date.day()), rest / 3600000000,
                       rest / 60000000 % 60, rest / 1000000 % 60, rest % 1000000);
}

}  // namespace fermat
