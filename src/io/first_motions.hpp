#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/choice.hpp"
#include "core/notes.hpp"
#include "io/local_plane.hpp"
#include "io/polarity.hpp"
#include "location/catalogue.hpp"

namespace fermat {

/// Programs that find mechanisms from first motions.
enum class MotionFormat {
    skhash,  ///< polarity file of SKHASH (Skoumal, Hardebeck & Shearer 2024): CSV
    hash,    ///< of HASH's first driver (Hardebeck & Shearer 2002): cards with angles
    fpfit,   ///< listing of HYPO71 that FPFIT reads (Reasenberg & Oppenheimer 1985)
};
template <>
inline constexpr auto choices<MotionFormat> =
    choice_table<MotionFormat>("format of first motions", {{"skhash", MotionFormat::skhash},
                                                           {"hash", MotionFormat::hash},
                                                           {"fpfit", MotionFormat::fpfit}});

/// An event with first motions. Numbers that are not known are NaN.
struct MotionEvent {
    std::string id;
    double time = not_known;
    GeoPoint at{not_known, not_known};
    double depth = not_known;   ///< km
    double across = not_known;  ///< standard deviations of the place, km
    double down = not_known;
    double magnitude = not_known;
};

/// A first motion with the direction of its ray where it leaves the event.
struct FirstMotion {
    std::size_t event = 0;  ///< in the list of events
    std::string station;    ///< NET.STA or STA
    Polarity polarity = 0;
    double azimuth = 0;           ///< degrees from north
    double take_off = 0;          ///< degrees from straight down
    double distance = not_known;  ///< of the epicentre, km
    double residual = not_known;  ///< of the time, s
};

struct FirstMotions {
    std::vector<MotionEvent> events;
    std::vector<FirstMotion> motions;  ///< those of an event together
};

/// The first motions of P at stations whose events are located. Those of picks that the location
/// calls gross are left out, which is noted. Places are x and y of a plane, or latitudes and
/// longitudes of a sphere.
FirstMotions first_motions_of(const Survey& survey, std::span<const Polarity> polarities,
                              const Catalogue& found, const LocalPlane* plane, bool on_sphere,
                              std::span<const double> magnitudes, Notes& notes);

/// Writes first motions; the file appears complete or not at all. `angle_error` is the standard
/// deviation of both angles in degrees. SKHASH counts take-off angles from straight up, the others
/// from straight down. Throws InputError if there is none, and if HASH or FPFIT lack an origin.
void write_first_motions(const std::filesystem::path& path, MotionFormat format,
                         const FirstMotions& motions, double angle_error, Notes& notes);

}  // namespace fermat
