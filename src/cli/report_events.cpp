#include "cli/report_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>
#include <utility>

#include "cli/json.hpp"
#include "cli/table_number.hpp"
#include "core/error.hpp"
#include "core/median.hpp"
#include "io/text.hpp"

namespace fermat::cli {
namespace {

using Column = std::optional<std::size_t>;

constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr double degree = std::numbers::pi / 180;
constexpr double earth_radius = 6'371'000;  // m, for the length of a degree on the page

/// The plane whose x = 0 and y = 0 are where the event's longitude and latitude say: the centre for
/// which it is at (x, y), by steps of what is still missing.
LocalPlane plane_through(GeoPoint place, Vec3 at, double metres) {
    LocalPlane plane{place, metres};
    for (int step = 0; step < 20; ++step) {
        const PlanePoint seen = plane.to_plane(place);
        plane.centre = plane.to_geographic({seen.x - at.x, seen.y - at.y});
    }
    return plane;
}

/// The columns of a vector; a 2-D table has no y.
struct AxisColumns {
    Column x, y, z;

    AxisColumns(const CsvTable& table, const std::string& prefix)
        : x(table.find_column(prefix + "x")),
          y(table.find_column(prefix + "y")),
          z(table.find_column(prefix + "z")) {}

    bool known() const { return x && z; }
    Vec3 at(const CsvTable& table, std::size_t row) const {
        return {table.number(row, *x), y ? table.number(row, *y) : 0.0, table.number(row, *z)};
    }
};

/// Reads places, shifts and errors row by row. Events are shown by longitude and latitude where the
/// table has them.
class EventReader {
  public:
    EventReader(const CsvTable& table, const EventPlaces& places, ReportEvents& out)
        : table_(table),
          own_(table, ""),
          shift_(table, "shift_"),
          error_(table, "error_"),
          name_(table.find_column("event")),
          longitude_(table.find_column("longitude")),
          latitude_(table.find_column("latitude")),
          rms_(table.find_column("rms")),
          magnitude_(table.find_column("magnitude")),
          out_(out) {
        out.metres = places.metres;
        out.degrees = longitude_ && latitude_;
        const double radius = places.radius > 0 ? places.radius : earth_radius / places.metres;
        out.degree = degree * radius;
        out.is_2d = !out.degrees && !own_.y;
        if (!out.degrees) table.column("x");  // throws where it is missing
        table.column("z");
        const std::array pairs = {"cov_xx", "cov_xy", "cov_xz", "cov_yy", "cov_yz", "cov_zz"};
        for (std::size_t n = 0; n < pairs.size(); ++n) pairs_[n] = table.find_column(pairs[n]);
    }

    bool has_place(std::size_t row) const {
        return !table_.text(row, own_.x ? *own_.x : *longitude_).empty();
    }

    /// Gives the shift as a length; not a number if there is none.
    double add(std::size_t row) {
        const Vec3 by = shift_.known() ? shift_.at(table_, row) : Vec3{};
        Vec3 at = own_.known() ? own_.at(table_, row) : Vec3{};
        Vec3 from = at - by;
        if (out_.degrees) put_on_earth(row, by, at, from);
        add_place(at, from);
        out_.names.emplace_back(name_ ? table_.text(row, *name_) : std::string_view());
        out_.rms.push_back(static_cast<float>(number_or_nan(table_, row, rms_)));
        out_.magnitude.push_back(static_cast<float>(number_or_nan(table_, row, magnitude_)));
        add_errors(row);
        return shift_.known() ? norm(by) : none;
    }

  private:
    /// Places in degrees, of a shift in lengths along x and y of a plane or to the east and north.
    void put_on_earth(std::size_t row, Vec3 by, Vec3& at, Vec3& from) {
        const GeoPoint place{table_.number(row, *longitude_), table_.number(row, *latitude_)};
        if (own_.known() && !out_.plane) out_.plane = plane_through(place, at, out_.metres);
        const double z = table_.number(row, *own_.z);
        from.z += z - at.z;
        at = {place.longitude, place.latitude, z};
        if (!out_.plane) {
            const double east = out_.degree * std::cos(place.latitude * degree);
            from = {at.x - by.x / east, at.y - by.y / out_.degree, z - by.z};
            return;
        }
        const GeoPoint before = out_.plane->to_geographic({from.x, from.y});
        from = {before.longitude, before.latitude, from.z};
    }

    void add_place(Vec3 at, Vec3 from) {
        if (out_.degrees && !out_.x.empty()) {
            // Longitudes go on across the date line.
            const auto near = [&](double& x) { x += 360 * std::round((out_.x[0] - x) / 360); };
            near(at.x);
            near(from.x);
        }
        out_.x.push_back(static_cast<float>(at.x));
        out_.y.push_back(static_cast<float>(at.y));
        out_.z.push_back(static_cast<float>(at.z));
        if (!shift_.known()) return;
        out_.from_x.push_back(static_cast<float>(from.x));
        out_.from_y.push_back(static_cast<float>(from.y));
        out_.from_z.push_back(static_cast<float>(from.z));
    }

    /// The covariance, or the squares of errors where the table has those alone.
    void add_errors(std::size_t row) {
        std::array<double, 6> values{};
        for (std::size_t n = 0; n < 6; ++n) values[n] = number_or_nan(table_, row, pairs_[n]);
        const auto square = [&](Column column) {
            const double error = number_or_nan(table_, row, column);
            return error > 0 ? error * error : none;
        };
        if (!pairs_[0]) values = {square(error_.x), 0, 0, square(error_.y), 0, square(error_.z)};
        for (std::size_t n = 0; n < 6; ++n) {
            out_.covariance[n].push_back(static_cast<float>(values[n]));
        }
    }

    const CsvTable& table_;
    AxisColumns own_, shift_, error_;
    Column name_, longitude_, latitude_, rms_, magnitude_;
    std::array<Column, 6> pairs_;
    ReportEvents& out_;
};

std::string span_text(const std::vector<float>& values, const std::string& unit) {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const float value : values) {
        if (!std::isfinite(value)) continue;
        low = std::min<double>(low, value);
        high = std::max<double>(high, value);
    }
    return low <= high ? fmt::format("{:.4g} to {:.4g}{}", low, high, unit) : std::string();
}

}  // namespace

ReportEvents read_report_events(const CsvTable& table, const EventPlaces& places) {
    ReportEvents out;
    EventReader reader(table, places, out);
    const auto status = table.find_column("status");
    const auto cluster = table.find_column("cluster");
    const auto use = table.find_column("use");
    out.kind = status ? "located" : cluster ? "relocated" : "moved by the inversion";
    if (!status && !cluster && !use) {
        throw InputError(fmt::format(
            "'{}' has no column status, cluster or use (must be a table that fermat locate, "
            "fermat relocate or fermat invert --relocate wrote)",
            table.path().string()));
    }
    out.count = table.rows();
    std::set<std::string, std::less<>> clusters;
    std::vector<double> shifts;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        std::string group;
        if (status) group = table.text(row, *status);
        if (use) group = table.text(row, *use);
        if (cluster) group = table.text(row, *cluster).empty() ? "not linked" : "relocated";
        ++out.groups[group];
        if (cluster && !table.text(row, *cluster).empty()) {
            clusters.emplace(table.text(row, *cluster));
        }
        if (!reader.has_place(row)) continue;
        const double shift = reader.add(row);
        if (shift > 0) shifts.push_back(shift);
    }
    if (out.x.empty()) {
        throw InputError(fmt::format("'{}' has no event with a place", table.path().string()));
    }
    out.clusters = clusters.size();
    out.median_shift = shifts.empty() ? none : upper_median(std::move(shifts));
    return out;
}

std::string events_json(const ReportEvents& events, const ReportStations& stations) {
    std::string places;
    std::string misfits;
    for (const auto& [name, one] : stations.all) {
        if (one.place) {
            places += fmt::format("{}[{},{},{},{}]", places.empty() ? "" : ",", json_text(name),
                                  json_number(one.place->x), json_number(one.place->y),
                                  json_number(one.place->z));
        }
        for (const ReportStations::Misfit& misfit : one.misfits) {
            misfits += fmt::format("{}[{},{},{},{},{}]", misfits.empty() ? "" : ",",
                                   json_text(name), json_text(misfit.phase), misfit.count,
                                   json_number(misfit.mean), json_number(misfit.rms));
        }
    }
    std::string names;
    for (const std::string& name : events.names) {
        names += fmt::format("{}{}", names.empty() ? "" : ",", json_text(name));
    }
    std::string lists;
    const auto add = [&](std::string_view name, const std::vector<float>& values) {
        lists += fmt::format(R"("{}":{},)", name, json_floats(values));
    };
    add("x", events.x);
    add("y", events.y);
    add("z", events.z);
    add("fromX", events.from_x);
    add("fromY", events.from_y);
    add("fromZ", events.from_z);
    add("rms", events.rms);
    add("magnitude", events.magnitude);
    const std::array pairs = {"covXX", "covXY", "covXZ", "covYY", "covYZ", "covZZ"};
    for (std::size_t n = 0; n < pairs.size(); ++n) add(pairs[n], events.covariance[n]);
    return fmt::format(
        R"({{"flat":{},"degrees":{},"degree":{},{}"names":[{}],"stations":[{}],"misfits":[{}],)"
        R"("what":{}}})",
        events.is_2d, events.degrees, events.degree, lists, names, places, misfits,
        json_text(stations.what));
}

std::vector<std::pair<std::string, std::string>> events_summary(const ReportEvents& events,
                                                                const std::string& length,
                                                                const std::string& time) {
    std::vector<std::pair<std::string, std::string>> out;
    out.emplace_back("events", fmt::format("{} of {} with a place", events.x.size(), events.count));
    for (const auto& [group, count] : events.groups) {
        out.emplace_back(group.empty() ? "without a word" : group, fmt::format("{}", count));
    }
    if (events.clusters > 0) out.emplace_back("clusters", fmt::format("{}", events.clusters));
    if (std::isfinite(events.median_shift)) {
        out.emplace_back("median shift", fmt::format("{:.3g} {}", events.median_shift, length));
    }
    out.emplace_back("depths", span_text(events.z, " " + length));
    if (events.degrees) {
        out.emplace_back("longitudes", span_text(events.x, "°"));
        out.emplace_back("latitudes", span_text(events.y, "°"));
    }
    const std::string sizes = span_text(events.magnitude, "");
    if (!sizes.empty()) out.emplace_back("magnitudes", sizes);
    std::vector<double> rms;
    for (const float value : events.rms) {
        if (std::isfinite(value)) rms.push_back(value);
    }
    if (!rms.empty()) {
        out.emplace_back("median RMS per event",
                         fmt::format("{:.3g} {}", upper_median(std::move(rms)), time));
    }
    return out;
}

}  // namespace fermat::cli
