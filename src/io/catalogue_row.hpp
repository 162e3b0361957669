#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/vec3.hpp"
#include "io/catalogue_io.hpp"
#include "io/clock.hpp"
#include "io/csv.hpp"

namespace fermat {

/// The cells of one row; numbers that are not known are empty.
class CatalogueRow {
  public:
    void add(double value) { texts_.push_back(std::isnan(value) ? "" : fmt::format("{}", value)); }
    void add(int value) { texts_.push_back(fmt::format("{}", value)); }
    void add(std::string text) { texts_.push_back(std::move(text)); }
    void add(Vec3 place, bool is_2d) {
        add(place.x);
        if (!is_2d) add(place.y);
        add(place.z);
    }
    /// Longitude and latitude, if there is a plane.
    void add_geographic(Vec3 place, const LocalPlane* plane) {
        if (plane == nullptr) return;
        const bool known = is_finite(place);
        const GeoPoint at = known ? plane->to_geographic({place.x, place.y}) : GeoPoint{};
        texts_.push_back(known ? fmt::format("{:.7f}", at.longitude) : "");
        texts_.push_back(known ? fmt::format("{:.7f}", at.latitude) : "");
    }
    void add_time(double time, Clock clock) {
        if (clock == Clock::seconds || std::isnan(time)) return add(time);
        add(clock_text(time));
    }
    void write(CsvWriter& table) {
        std::vector<CsvCell> cells;
        for (const std::string& text : texts_) cells.emplace_back(std::string_view(text));
        table.add_row(cells);
        texts_.clear();
    }

  private:
    std::vector<std::string> texts_;
};

/// Whether a catalogue has a column of them.
inline bool knows_magnitudes(std::span<const double> magnitudes) {
    return std::any_of(magnitudes.begin(), magnitudes.end(),
                       [](double magnitude) { return std::isfinite(magnitude); });
}

/// Names prefix + x, y, z; without y in 2-D.
inline void add_axis_names(std::vector<std::string>& names, const std::string& prefix, bool is_2d) {
    names.push_back(prefix + "x");
    if (!is_2d) names.push_back(prefix + "y");
    names.push_back(prefix + "z");
}

}  // namespace fermat
