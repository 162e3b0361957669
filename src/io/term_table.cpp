#include "io/term_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "core/error.hpp"
#include "io/catalogue_row.hpp"
#include "io/csv.hpp"

namespace fermat {
namespace {

/// Places of events in a table.
class TermPlaces {
  public:
    TermPlaces(const CsvTable& table, const LocalPlane* plane, bool on_sphere)
        : table_(table), plane_(plane), on_sphere_(on_sphere) {
        geographic_ = table.find_column("longitude").has_value();
        first_ = geographic_ ? table.find_column("longitude") : table.find_column("x");
        second_ = table.find_column(geographic_ ? "latitude" : "y");
        if (first_) depth_ = table.column("z");
        if (geographic_ && plane == nullptr && !on_sphere) {
            throw InputError(fmt::format(
                "{} has longitudes and latitudes, and the stations are x and y without a plane "
                "(give stations by longitude and latitude)",
                quoted()));
        }
        if (first_ && !geographic_ && on_sphere) {
            throw InputError(
                fmt::format("{} has x and y, and the model is a sphere (its terms need "
                            "longitude,latitude,z)",
                            quoted()));
        }
    }

    bool known(std::size_t row) const { return first_ && !table_.text(row, *first_).empty(); }
    Vec3 operator()(std::size_t row) const {
        Vec3 place{table_.number(row, *first_), second_ ? table_.number(row, *second_) : 0.0,
                   table_.number(row, depth_)};
        if (!geographic_) return place;
        if (on_sphere_) return {place.y, place.x, place.z};
        const PlanePoint at = plane_->to_plane({place.x, place.y});
        return {at.x, at.y, place.z};
    }

  private:
    std::string quoted() const { return fmt::format("'{}'", table_.path().filename().string()); }

    const CsvTable& table_;
    const LocalPlane* plane_;
    bool on_sphere_;
    bool geographic_ = false;
    std::optional<std::size_t> first_;
    std::optional<std::size_t> second_;
    std::size_t depth_ = 0;
};

/// Which (station, phase) has a term, to tell of those that have none.
using Named = std::set<std::int32_t>;

/// Stations of terms.csv of an inversion are where stations of the survey are.
void read_inverted(const CsvTable& table, const Survey& survey, DelayTerms& terms, Named& named) {
    const std::size_t kind = table.column("kind");
    const std::size_t term = table.column("term");
    const PointColumns place(table, "");
    bool has_s = false;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        has_s = has_s || table.text(row, kind) == "receiver_s";
    }
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const bool s = table.text(row, kind) == "receiver_s";
        if (!s && table.text(row, kind) != "receiver") continue;
        for (std::size_t n = 0; n < survey.stations.size(); ++n) {
            const Vec3 at = survey.stations[n].position;
            constexpr double near = 1e-6;
            if (distance(at, place(row)) > near * (1 + norm(at))) continue;
            named.insert(static_cast<std::int32_t>(n));
            auto& of_station = terms.fixed[n];
            of_station[static_cast<std::size_t>(s ? Phase::S : Phase::P)] = table.number(row, term);
            if (!has_s) {
                of_station[static_cast<std::size_t>(Phase::S)] = table.number(row, term);
            }
        }
    }
}

void read_named(const CsvTable& table, const Survey& survey, const TermPlaces& place,
                DelayTerms& terms, Named& named) {
    std::map<std::string, std::int32_t, std::less<>> numbers;
    for (std::size_t n = 0; n < survey.stations.size(); ++n) {
        numbers.emplace(name_of(survey, survey.stations[n]), static_cast<std::int32_t>(n));
    }
    const std::size_t station = table.column("station");
    const std::size_t term = table.column("term");
    const auto phase = table.find_column("phase");
    const auto weight = table.find_column("weight");
    const auto radius = table.find_column("radius");
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const auto entry = numbers.find(table.text(row, station));
        if (entry == numbers.end()) continue;
        named.insert(entry->second);
        const auto s = static_cast<std::size_t>(entry->second);
        const Phase wave = phase ? phase_of_name(table.text(row, *phase)) : Phase::P;
        const double value = table.number(row, term);
        if (!place.known(row)) {
            terms.fixed[s][static_cast<std::size_t>(wave)] = value;
            continue;
        }
        if (!radius) table.column("radius");  // says which columns there are
        const double size = table.number(row, *radius);
        if (!(size > 0) || (terms.radius > 0 && terms.radius != size)) {
            throw InputError(fmt::format("{}radius is {:g} (must be > 0, and the same in all rows)",
                                         table.where(row), size));
        }
        terms.radius = size;
        if (terms.points.empty()) terms.points.resize(survey.stations.size());
        terms.points[s][static_cast<std::size_t>(wave)].push_back(
            {place(row), value, weight ? table.number(row, *weight) : 1.0});
    }
}

}  // namespace

DelayTerms read_station_terms(const TextFile& file, const Survey& survey, const LocalPlane* plane,
                              bool on_sphere, Notes& notes) {
    const CsvTable table(file);
    DelayTerms terms;
    terms.fixed.assign(survey.stations.size(), {});
    Named named;
    if (table.find_column("kind")) {
        read_inverted(table, survey, terms, named);
    } else {
        read_named(table, survey, TermPlaces(table, plane, on_sphere), terms, named);
    }
    if (named.empty()) {
        throw InputError(
            fmt::format("{} has terms of none of the {} stations (stations must have the same {})",
                        file.quoted(), survey.stations.size(),
                        table.find_column("kind") ? "places as in the inversion" : "ids"));
    }
    if (named.size() < survey.stations.size()) {
        notes.add(fmt::format("{}: {} of {} stations have no term (theirs is 0)", file.quoted(),
                              survey.stations.size() - named.size(), survey.stations.size()));
    }
    terms.sort_points();
    return terms;
}

void write_station_terms(const std::filesystem::path& path, const Survey& survey,
                         const DelayTerms& terms, const LocalPlane* plane, bool on_sphere) {
    std::vector<std::string> names = {"station", "phase"};
    const bool geographic = plane != nullptr || on_sphere;
    if (terms.by_place()) {
        if (geographic) {
            names.insert(names.end(), {"longitude", "latitude", "z"});
        } else {
            add_axis_names(names, "", survey.is_2d);
        }
    }
    names.emplace_back("term");
    if (terms.by_place()) names.insert(names.end(), {"weight", "radius"});
    CsvWriter table(path, names);
    CatalogueRow row;
    const auto begin = [&](std::size_t station, Phase phase) {
        row.add(name_of(survey, survey.stations[station]));
        row.add(std::string(name_of(phase)));
    };
    const std::vector<Phase> phases = phases_of(survey);
    for (std::size_t n = 0; n < survey.stations.size(); ++n) {
        for (const Phase phase : phases) {
            const auto p = static_cast<std::size_t>(phase);
            begin(n, phase);
            if (terms.by_place()) {
                row.add({not_known, not_known, not_known}, survey.is_2d && !geographic);
            }
            row.add(terms.fixed[n][p]);
            if (terms.by_place()) {
                row.add(not_known);
                row.add(not_known);
            }
            row.write(table);
            if (!terms.by_place()) continue;
            for (const TermPoint& point : terms.points[n][p]) {
                begin(n, phase);
                if (on_sphere) {
                    row.add({point.place.y, point.place.x, point.place.z}, false);
                } else if (plane != nullptr) {
                    row.add_geographic(point.place, plane);
                    row.add(point.place.z);
                } else {
                    row.add(point.place, survey.is_2d);
                }
                row.add(point.time);
                row.add(point.weight);
                row.add(terms.radius);
                row.write(table);
            }
        }
    }
    table.commit();
}

}  // namespace fermat
