#include "io/units.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "core/error.hpp"
#include "io/text.hpp"

namespace fermat {
namespace {

using Unit = std::pair<std::string_view, double>;

constexpr std::array<Unit, 6> lengths = {
    {{"m", 1}, {"km", 1000}, {"cm", 0.01}, {"mm", 0.001}, {"dm", 0.1}, {"ft", 0.3048}}};
constexpr std::array<Unit, 5> times = {
    {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"min", 60}}};

template <std::size_t N>
double size_in(const std::array<Unit, N>& units, std::string_view what, std::string_view name) {
    std::string list;
    for (const auto& [unit, size] : units) {
        if (unit == name) return size;
        list += (list.empty() ? "" : ", ") + std::string(unit);
    }
    throw InputError(
        fmt::format("the unit of {} is {} (must be one of {})", what, in_quotes(name), list));
}

}  // namespace

double unit_size(Quantity quantity, std::string_view name) {
    return quantity == Quantity::length ? size_in(lengths, "length", name)
                                        : size_in(times, "time", name);
}

namespace {

/// The file's unit and the one wanted of it; the second is empty where the first is.
struct Units {
    std::string_view from{};
    std::string_view to{};
};

Units units_of(Quantity quantity, const UnitChange& change, std::string_view own,
               std::string_view usual) {
    const bool length = quantity == Quantity::length;
    const std::string_view said = length ? change.length : change.time;
    const std::string_view wanted = length ? change.to_length : change.to_time;
    Units units{said.empty() ? own : said, wanted};
    if (units.from.empty()) {
        if (wanted.empty()) return units;
        throw InputError(
            fmt::format("the {} is wanted in {} but the file does not tell its unit (say it with "
                        "`unit`)",
                        length ? "length" : "time", wanted));
    }
    if (units.to.empty()) units.to = !usual.empty() ? usual : length ? "m" : "s";
    return units;
}

}  // namespace

double unit_factor(Quantity quantity, const UnitChange& change, std::string_view own,
                   std::string_view usual) {
    const Units units = units_of(quantity, change, own, usual);
    if (units.from.empty()) return 1;
    return unit_size(quantity, units.from) / unit_size(quantity, units.to);
}

std::string unit_after(Quantity quantity, const UnitChange& change, std::string_view own,
                       std::string_view usual) {
    return std::string(units_of(quantity, change, own, usual).to);
}

std::string to_text(const UnitNames& units) {
    std::string text;
    if (!units.length.empty()) text += " length=" + units.length;
    if (!units.time.empty()) text += " time=" + units.time;
    return text.empty() ? text : "units:" + text;
}

std::optional<UnitNames> units_from(std::string_view text) {
    constexpr std::string_view start = "units:";
    text = trim(text);
    if (!text.starts_with(start)) return std::nullopt;
    UnitNames units;
    for (const std::string_view word : split_words(text.substr(start.size()))) {
        if (word.starts_with("length=")) units.length = word.substr(7);
        if (word.starts_with("time=")) units.time = word.substr(5);
    }
    return units;
}

UnitNames read_units(const TextFile& table) {
    UnitNames units;
    table.look_at_head([&](std::string_view text) {
        const auto found = units_from(text);
        if (found) units = *found;
        return found.has_value();
    });
    return units;
}

}  // namespace fermat
