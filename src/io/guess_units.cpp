#include "io/guess_units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "survey/mapped_points.hpp"

namespace fermat {
namespace {

struct Speeds {
    double least = 0;
    double median = 0;
    double largest = 0;
};

Speeds speeds_of(FieldView<const float> velocities) {
    std::vector<float> rock;
    for (const float v : velocities) {
        if (v > 0) rock.push_back(v);
    }
    if (rock.empty()) return {};
    const auto middle = rock.begin() + static_cast<std::ptrdiff_t>(rock.size() / 2);
    std::nth_element(rock.begin(), middle, rock.end());
    const double median = *middle;
    const auto [least, largest] = std::minmax_element(rock.begin(), rock.end());
    return {*least, median, *largest};
}

/// A pair of units that surveys come in, and the velocities that they give.
struct Candidate {
    std::string_view length;
    std::string_view time;
};

/// The more usual ones first.
constexpr std::array<Candidate, 8> candidates = {{{"km", "s"},
                                                  {"m", "s"},
                                                  {"m", "ns"},
                                                  {"m", "ms"},
                                                  {"mm", "us"},
                                                  {"ft", "s"},
                                                  {"ft", "ms"},
                                                  {"cm", "ns"}}};

bool is_radar(std::string_view time) { return time == "ns"; }

/// In m/s: waves in soil and rock, some of them faster than in air, or light in rock.
bool is_plausible(const Candidate& units, const Speeds& speeds) {
    const double size =
        unit_size(Quantity::length, units.length) / unit_size(Quantity::time, units.time);
    if (is_radar(units.time)) return size * speeds.largest <= 3e8 && size * speeds.median >= 1e7;
    return size * speeds.median >= 50 && size * speeds.median <= 50'000 &&
           size * speeds.largest > 300;
}

bool agrees(const UnitNames& known, const Candidate& units) {
    return (known.length.empty() || known.length == units.length) &&
           (known.time.empty() || known.time == units.time);
}

UnitNames best_of(const UnitNames& known, const Speeds& speeds) {
    for (const Candidate& units : candidates) {
        if (agrees(known, units) && is_plausible(units, speeds)) {
            return {std::string(units.length), std::string(units.time)};
        }
    }
    return {known.length.empty() ? std::string("km") : known.length,
            known.time.empty() ? std::string("s") : known.time};
}

NamedUnits named(const UnitNames& known, const Speeds& speeds) {
    if (known.complete()) return {known, ""};
    NamedUnits out{best_of(known, speeds), ""};
    std::string chosen;
    if (known.length.empty()) chosen = fmt::format("`length_unit={}`", out.units.length);
    if (known.time.empty()) {
        chosen += fmt::format("{}`time_unit={}`", chosen.empty() ? "" : " and ", out.units.time);
    }
    // Of m and ms, or of mm and us, the numbers are the same.
    const bool one_of_three = known.length.empty() && known.time.empty() &&
                              out.units.length == "km" && out.units.time == "s";
    out.reason = fmt::format(
        "{}: no file tells the units, and {} read as {}/{} (names on axes and in the report; "
        "numbers stay{})",
        chosen,
        speeds.least == speeds.largest
            ? fmt::format("a velocity of {:.4g} is", speeds.least)
            : fmt::format("velocities from {:.4g} to {:.4g} are", speeds.least, speeds.largest),
        out.units.length, out.units.time,
        one_of_three
            ? "; m/ms and mm/us are the same numbers: `length_unit` and `time_unit` name them"
            : "");
    return out;
}

}  // namespace

NamedUnits guess_units(const UnitNames& known, FieldView<const float> velocities) {
    return named(known, speeds_of(velocities));
}

NamedUnits guess_units(const UnitNames& known, const Model& model) {
    UnitNames told = known;
    if (on_sphere(model) && told.length.empty()) told.length = std::string("km");
    return named(told, speeds_of(model.given()));
}

UnitNames known_units(UnitNames told, const std::optional<LocalPlane>& plane) {
    if (!told.length.empty() || !plane) return told;
    const std::string_view name = plane->metres == 1 ? "m" : plane->metres == 1000 ? "km" : "";
    told.length = std::string(name);
    return told;
}

}  // namespace fermat
