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

double unit_factor(Quantity quantity, const UnitChange& change, std::string_view own,
                   std::string_view usual) {
    const bool length = quantity == Quantity::length;
    const std::string_view said = length ? change.length : change.time;
    const std::string_view wanted = length ? change.to_length : change.to_time;
    const std::string_view from = said.empty() ? own : said;
    if (from.empty()) {
        if (wanted.empty()) return 1;
        throw InputError(
            fmt::format("the {} is wanted in {} but the file does not tell its unit (say it with "
                        "`unit`)",
                        length ? "length" : "time", wanted));
    }
    std::string_view to = wanted;
    if (to.empty()) to = !usual.empty() ? usual : length ? "m" : "s";
    return unit_size(quantity, from) / unit_size(quantity, to);
}

}  // namespace fermat
