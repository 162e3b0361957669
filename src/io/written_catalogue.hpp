#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/notes.hpp"
#include "io/catalogue_formats.hpp"
#include "io/local_plane.hpp"

namespace fermat {

// A catalogue on its way into a file of another program, see catalogue_formats.hpp.

struct WrittenStation {
    std::string name;   ///< as the format can hold it
    Vec3 place;         ///< x, y, z as given; of z a depth
    GeoPoint at{};      ///< if there is a plane
    double height = 0;  ///< above sea level, km
};

struct WrittenEvent {
    std::string id;
    std::size_t number = 0;  ///< in the survey, from 0
    bool has_place = true;
    bool has_origin = true;  ///< has_place, and the origin time is known
    GeoPoint at{};
    double depth = 0;  ///< km
    double origin = 0;
    double magnitude = 0;  ///< NaN if not known
    std::vector<std::int32_t> picks{};
    const Hypocentre* found = nullptr;
};

struct WrittenCatalogue {
    const Survey& survey;
    const LocalPlane* plane = nullptr;
    const Catalogue* found = nullptr;
    std::vector<WrittenStation> stations{};  ///< as in the survey
    std::vector<WrittenEvent> events{};      ///< those that are written
    std::span<const Polarity> polarities{};  ///< as arrivals; none if empty
    std::span<const std::string> phases{};   ///< by their names, as arrivals; none if empty

    const Arrival& arrival(std::int32_t pick) const {
        return survey.arrivals[static_cast<std::size_t>(pick)];
    }
    const WrittenStation& station_of(std::int32_t pick) const {
        return stations[static_cast<std::size_t>(arrival(pick).station)];
    }
    std::string_view phase(std::int32_t pick) const {
        return phases.empty() ? name_of(arrival(pick).phase)
                              : std::string_view(phases[static_cast<std::size_t>(pick)]);
    }
    Polarity polarity(std::int32_t pick) const {
        return polarities.empty() ? Polarity{0} : polarities[static_cast<std::size_t>(pick)];
    }
    double travel_time(std::int32_t pick) const {
        return arrival(pick).time - survey.event_of(arrival(pick)).origin_time;
    }
};

/// What a format asks of a catalogue.
struct FormatNeeds {
    std::string_view shown;        ///< "VELEST's phases"
    std::size_t name_letters = 0;  ///< of stations; 0: any number
    bool words = false;            ///< names are words without blanks
    bool geographic = true;
    bool origins = true;  ///< times are times of travel
    bool dates = true;
    bool short_years = false;   ///< of two digits, from 1970 to 2069
    bool gross_picks = false;   ///< picks that a location calls gross have a place in it
    bool names_events = false;  ///< ids of events are kept
    bool lone_events = false;   ///< events may have no picks
    bool later_phases = false;  ///< phases other than first P and S have a place in it
};

/// Leaves out and names what the format needs so; see write_picks_as().
WrittenCatalogue prepared(const std::filesystem::path& path, const WrittenPicks& picks,
                          const FormatNeeds& needs, Notes& notes);

/// The error that stands for a weight of 1 in hypoDD's and of 0 in VELEST's and SIMULPS's files,
/// and for picks without errors where a format must have them.
inline constexpr double best_error = 0.05;

/// Magnitudes that are not known are written as 0.
double shown_magnitude(const WrittenEvent& event);
/// Notes that magnitudes are 0 where they are not known, and, unless `errors`, that errors of picks
/// are not held.
void note_losses(const std::filesystem::path& path, const WrittenCatalogue& out, bool errors,
                 Notes& notes);

/// Notes how many first motions a format does not hold.
void note_lost_polarities(const std::filesystem::path& path, const WrittenCatalogue& out,
                          Notes& notes);

// The texts of the files; notes say what they round and do not hold.
struct CatalogueTexts {
    std::string picks;
    std::string stations;  ///< empty if the picks have them
};
CatalogueTexts velest_texts(const std::filesystem::path& path, const WrittenPicks& picks,
                            Notes& notes);
CatalogueTexts simulps_texts(const std::filesystem::path& path, const WrittenPicks& picks,
                             Notes& notes);
CatalogueTexts hypodd_texts(const std::filesystem::path& path, const WrittenPicks& picks,
                            Notes& notes);
CatalogueTexts nonlinloc_texts(const std::filesystem::path& path, const WrittenPicks& picks,
                               Notes& notes);
CatalogueTexts src_rec_texts(const std::filesystem::path& path, const WrittenPicks& picks,
                             Notes& notes);
CatalogueTexts lotos_texts(const std::filesystem::path& path, const WrittenPicks& picks,
                           Notes& notes);
CatalogueTexts quakeml_texts(const std::filesystem::path& path, const WrittenPicks& picks,
                             Notes& notes);

}  // namespace fermat
