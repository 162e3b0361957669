// The layouts are those that the programs read: SKHASH's manual (v1.1, page 3), the cards of HASH's
// first driver, and the columns of FPFIT's reader of HYPO71's listing.
#include "io/first_motions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/error.hpp"
#include "io/atomic_file.hpp"
#include "io/date_parts.hpp"
#include "io/shown.hpp"
#include "io/text.hpp"

namespace fermat {
namespace {

namespace fs = std::filesystem;

struct SplitName {
    std::string network = "--";
    std::string station;

    explicit SplitName(const std::string& name) {
        const std::size_t dot = name.find('.');
        const bool both = dot != std::string::npos && dot > 0 && dot + 1 < name.size();
        if (both) network = name.substr(0, dot);
        station = both ? name.substr(dot + 1) : name;
    }
};

/// Names of four letters, as cards have them; told where letters are lost.
class ShortNames {
  public:
    std::string of(const std::string& name) {
        std::string kept = SplitName(name).station;
        constexpr std::size_t most = 4;
        if (kept.size() > most) cut_.insert(name);
        kept.resize(std::min(kept.size(), most));
        return kept;
    }
    void tell(const fs::path& path, Notes& notes) const {
        if (cut_.empty()) return;
        notes.add(fmt::format("{}: the names of {} stations are cut to 4 letters ({}{})",
                              quoted(path), cut_.size(), *cut_.begin(),
                              cut_.size() > 1 ? ", ..." : ""));
    }

  private:
    std::set<std::string> cut_;
};

/// Degrees and minutes of an angle, as integers of a hundredth.
struct HundredMinutes {
    long degrees;
    long hundredths;

    explicit HundredMinutes(double angle) {
        const long all = std::lround(std::abs(angle) * 6000);
        degrees = all / 6000;
        hundredths = all % 6000;
    }
};

long hundredths(double value, long most) {
    return std::isfinite(value) ? std::clamp(std::lround(100 * value), -most / 10, most) : 0;
}

std::string skhash_text(const FirstMotions& all, double angle_error) {
    std::string text =
        "event_id,network,station,location,channel,p_polarity,takeoff,takeoff_uncertainty,azimuth,"
        "azimuth_uncertainty,sr_dist_km,origin_latitude,origin_longitude,origin_depth_km,"
        "horz_uncert_km,vert_uncert_km\n";
    const auto shown = [](double value, int decimals) {
        return std::isfinite(value) ? fmt::format("{:.{}f}", value, decimals) : std::string();
    };
    for (const FirstMotion& one : all.motions) {
        const MotionEvent& event = all.events[one.event];
        const SplitName name(one.station);
        text += fmt::format("{},{},{},--,--,{},{:.2f},{:g},{:.2f},{:g},{},{},{},{},{},{}\n",
                            event.id, name.network, name.station, one.polarity > 0 ? "1" : "-1",
                            180 - one.take_off, angle_error, one.azimuth, angle_error,
                            shown(one.distance, 3), shown(event.at.latitude, 6),
                            shown(event.at.longitude, 6), shown(event.depth, 3),
                            shown(event.across, 3), shown(event.down, 3));
    }
    return text;
}

void require_origins(const FirstMotions& all, MotionFormat format) {
    for (const MotionEvent& event : all.events) {
        const bool known = std::isfinite(event.time) && has_date(event.time) &&
                           std::isfinite(event.at.latitude + event.at.longitude + event.depth);
        if (known) continue;
        throw InputError(fmt::format(
            "event {} has no origin time, latitude and longitude, which {} needs (give stations by "
            "longitude and latitude, or write skhash)",
            in_quotes(event.id), name_of(format)));
    }
}

/// The cards of HASH's first driver: a summary, one card per first motion, a blank one.
std::string hash_text(const FirstMotions& all, double angle_error, ShortNames& names) {
    std::string text;
    std::size_t n = 0;
    for (std::size_t e = 0; e < all.events.size(); ++e) {
        const MotionEvent& event = all.events[e];
        const DateParts at = date_parts(event.time, 2);
        const HundredMinutes north(event.at.latitude);
        const HundredMinutes east(event.at.longitude);
        std::string card = fmt::format(
            "{:02}{:02}{:02}{:02}{:02}{:4}{:2}{}{:4}{:3}{}{:4}{:5}{:2}", at.year % 100, at.month,
            at.day, at.hour, at.minute, std::lround(100 * at.second), north.degrees,
            event.at.latitude < 0 ? 'S' : ' ', north.hundredths, east.degrees,
            event.at.longitude < 0 ? ' ' : 'E', east.hundredths, hundredths(event.depth, 99999),
            std::isfinite(event.magnitude) ? std::clamp(std::lround(10 * event.magnitude), -9L, 99L)
                                           : 0L);
        card.resize(80, ' ');
        card +=
            fmt::format("{:4}{:4}", hundredths(event.across, 9999), hundredths(event.down, 9999));
        card.resize(122, ' ');
        text += card + event.id.substr(0, 16) + '\n';
        for (; n < all.motions.size() && all.motions[n].event == e; ++n) {
            const FirstMotion& one = all.motions[n];
            std::string row =
                fmt::format("{:<4}IP{}0", names.of(one.station), motion_letter(one.polarity));
            row.resize(58, ' ');
            constexpr double farthest = 999.9;
            const double distance = std::isfinite(one.distance) ? one.distance : 0;
            row += fmt::format("{:4}{:4}", std::lround(10 * std::min(distance, farthest)),
                               std::lround(one.take_off));
            row.resize(75, ' ');
            row += fmt::format("{:3} {:3} {:3}", std::lround(one.azimuth) % 360,
                               std::lround(angle_error), std::lround(angle_error));
            row.resize(95, ' ');
            text += row + "XXX\n";
        }
        text += std::string(80, ' ') + '\n';
    }
    return text;
}

/// A listing of HYPO71 as FPFIT reads it.
std::string fpfit_text(const FirstMotions& all, ShortNames& names) {
    std::string text;
    std::size_t n = 0;
    for (std::size_t e = 0; e < all.events.size(); ++e) {
        const MotionEvent& event = all.events[e];
        const DateParts at = date_parts(event.time, 2);
        const HundredMinutes north(event.at.latitude);
        const HundredMinutes east(event.at.longitude);
        std::size_t count = 0;
        while (n + count < all.motions.size() && all.motions[n + count].event == e) ++count;
        const auto size = [](double value, double most) {
            return std::isfinite(value) ? std::clamp(value, -most, most) : 0.0;
        };
        text += "  DATE    ORIGIN    LAT      LONG      DEPTH    MAG NO DM GAP M  RMS  ERH  ERZ\n";
        text += fmt::format(
            " {:02}{:02}{:02} {:02}{:02} {:5.2f} {:2}{}{:5.2f} {:3}{}{:5.2f} {:6.2f}  {:5.2f}{:3}"
            "{:3}{:4} 0{:5.2f}{:5.1f}{:5.1f}\n\n",
            at.year % 100, at.month, at.day, at.hour, at.minute, at.second, north.degrees,
            event.at.latitude < 0 ? 'S' : ' ', static_cast<double>(north.hundredths) / 100,
            east.degrees, event.at.longitude < 0 ? ' ' : 'E',
            static_cast<double>(east.hundredths) / 100, size(event.depth, 999.99),
            size(event.magnitude, 9.99), std::min<std::size_t>(count, 999), 0, 0, 0.0,
            size(event.across, 99.9), size(event.down, 99.9));
        text += "  STN  DIST AZM AIN PRMK HRMN P-SEC TPOBS TPCAL DLY/H1 P-RES P-WT\n";
        for (const std::size_t end = n + count; n < end; ++n) {
            const FirstMotion& one = all.motions[n];
            constexpr double nearest = 0.1;  // FPFIT skips readings at the epicentre
            std::string row = fmt::format(
                " {:<4}{:6.1f} {:3} {:3} IP{}0 {:02}{:02}", names.of(one.station),
                std::clamp(std::isfinite(one.distance) ? one.distance : nearest, nearest, 999.9),
                std::lround(one.azimuth) % 360, std::lround(one.take_off),
                motion_letter(one.polarity), at.hour, at.minute);
            row.resize(54, ' ');
            text += row + fmt::format("{:5.2f}\n", size(one.residual, 9.99));
        }
        text += '\n';
    }
    return text;
}

}  // namespace

FirstMotions first_motions_of(const Survey& survey, std::span<const Polarity> polarities,
                              const Catalogue& found, const LocalPlane* plane, bool on_sphere,
                              std::span<const double> magnitudes, Notes& notes) {
    FirstMotions out;
    if (polarities.empty()) return out;
    const double km = plane == nullptr ? 1 : plane->metres / 1000;
    const ArrivalLists lists = by_event(survey);
    std::size_t gross = 0, unlocated = 0;
    for (std::size_t n = 0; n < survey.events.size(); ++n) {
        const Hypocentre& place = found.events[n];
        const std::size_t before = out.motions.size();
        for (const std::int32_t pick : lists[n]) {
            const auto i = static_cast<std::size_t>(pick);
            const Arrival& arrival = survey.arrivals[i];
            if (polarities[i] == 0 || arrival.phase != Phase::P) continue;
            const PickFit& fit = found.fits[i];
            if (!is_located(place.status) || !std::isfinite(fit.take_off)) {
                ++unlocated;
                continue;
            }
            constexpr double least = 0.5;  // as relocated() has it
            if (fit.weight < least) {
                ++gross;
                continue;
            }
            const double turn = plane == nullptr ? 0 : plane->azimuth - 90;
            out.motions.push_back({out.events.size(), name_of(survey, survey.station_of(arrival)),
                                   polarities[i], std::fmod(fit.ray_azimuth + turn + 720, 360),
                                   fit.take_off, km * fit.distance, fit.residual});
        }
        if (out.motions.size() == before) continue;
        MotionEvent event{name_of(survey, survey.events[n]), place.origin_time};
        if (plane != nullptr) event.at = plane->to_geographic({place.position.x, place.position.y});
        if (on_sphere) event.at = {place.position.y, place.position.x};
        event.depth = km * place.position.z;
        event.across = km * std::sqrt(std::max(place.covariance[0][0], place.covariance[1][1]));
        event.down = km * std::sqrt(place.covariance[2][2]);
        if (n < magnitudes.size()) event.magnitude = magnitudes[n];
        out.events.push_back(std::move(event));
    }
    if (unlocated + gross > 0) {
        notes.add(fmt::format(
            "{} first motions are left out: {} are of events that are not located or stations that "
            "are not used, {} of picks that the location calls gross",
            unlocated + gross, unlocated, gross));
    }
    return out;
}

void write_first_motions(const fs::path& path, MotionFormat format, const FirstMotions& motions,
                         double angle_error, Notes& notes) {
    if (motions.motions.empty()) {
        throw InputError(
            fmt::format("there is no first motion of a located event to write to {} (picks hold "
                        "them in a column polarity: U or D)",
                        quoted(path)));
    }
    if (format != MotionFormat::skhash) require_origins(motions, format);
    ShortNames names;
    const std::string text = format == MotionFormat::skhash ? skhash_text(motions, angle_error)
                             : format == MotionFormat::hash ? hash_text(motions, angle_error, names)
                                                            : fpfit_text(motions, names);
    names.tell(path, notes);
    OutputFile file(path);
    file.write(text);
    file.commit();
}

}  // namespace fermat
