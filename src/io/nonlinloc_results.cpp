#include "io/nonlinloc_results.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "io/atomic_file.hpp"
#include "io/date_parts.hpp"
#include "io/shown.hpp"
#include "io/text.hpp"

namespace fermat {
namespace {

namespace fs = std::filesystem;

std::string transform_line(const LocalPlane* plane) {
    if (plane == nullptr) return "TRANSFORM  NONE";
    return fmt::format(
        "TRANSFORM  TRANS_MERC RefEllipsoid WGS-84  LatOrig {:.6f}  LongOrig {:.6f}  RotCW "
        "0.000000",
        plane->centre.latitude, plane->centre.longitude);
}

GeoPoint geographic(Vec3 place, const LocalPlane* plane) {
    constexpr double km_per_degree = 111.2;
    if (plane == nullptr) return {place.x / km_per_degree, place.y / km_per_degree};
    return plane->to_geographic({place.x, place.y});
}

/// Semi-axes of the 68 % ellipsoid, the shortest first, as STATISTICS has them.
std::string statistics(const Hypocentre& event, Vec3 mean) {
    const Matrix3& c = event.covariance;
    const auto axis = [&](std::size_t n) { return event.ellipsoid.direction[n]; };
    const auto length = [&](std::size_t n) {
        return event.reach.of_68 * event.ellipsoid.deviation[n];
    };
    return fmt::format(
        "STATISTICS  ExpectX {:g} Y {:g} Z {:g}  CovXX {:g} XY {:g} XZ {:g} YY {:g} YZ {:g} ZZ "
        "{:g} EllAz1  {:g} Dip1  {:g} Len1  {:g} Az2  {:g} Dip2  {:g} Len2  {:g} Len3  {:e}\n",
        mean.x, mean.y, mean.z, c[0][0], c[0][1], c[0][2], c[1][1], c[1][2], c[2][2],
        azimuth_of(axis(2)), plunge_of(axis(2)), length(2), azimuth_of(axis(1)), plunge_of(axis(1)),
        length(1), length(0));
}

std::string phase_line(const Survey& survey, const Arrival& arrival, const PickFit& fit,
                       std::string_view phase, Polarity polarity) {
    const DateParts at = date_parts(arrival.time, 4);
    const Station& station = survey.station_of(arrival);
    return fmt::format(
        "{:<6} ?    ?    ? {:<6} {} {:04}{:02}{:02} {:02}{:02} {:9.4f} GAU {:9.2e} -1.00e+00 "
        "-1.00e+00 -1.00e+00    1.0000 > {:9.4f} {:9.4f} {:9.4f} {:9.4f} {:9.4f} {:9.4f} {:9.4f} "
        "{:6.2f} {:5.1f} {:5.1f}  9     0.0000 {:9.4f}\n",
        name_of(survey, station), phase, motion_letter(polarity), at.year, at.month, at.day,
        at.hour, at.minute, at.second, arrival.error, or_zero(fit.travel_time),
        or_zero(fit.residual), fit.weight, station.position.x, station.position.y,
        station.position.z, or_zero(fit.distance), or_zero(fit.azimuth), or_zero(fit.ray_azimuth),
        or_zero(fit.take_off), or_zero(fit.deviation));
}

std::string event_text(const Survey& survey, const Catalogue& catalogue, std::size_t n,
                       std::span<const std::int32_t> arrivals, const LocalPlane* plane,
                       std::span<const std::string> phases, std::span<const Polarity> polarities) {
    const Hypocentre& event = catalogue.events[n];
    const DateParts at = date_parts(event.origin_time);
    const GeoPoint place = geographic(event.position, plane);
    const bool sampled = !event.posterior.places.empty();
    const Vec3 mean = sampled ? event.posterior.mean : event.position;
    const GeoPoint expected = geographic(mean, plane);
    const std::string id = name_of(survey, survey.events[n]);
    std::string text = fmt::format("NLLOC \"{}\" \"LOCATED\" \"Location completed.\"\n", id);
    text += fmt::format("PUBLIC_ID {}\n", id);
    text += "SIGNATURE \"Fermat\"\nCOMMENT \"\"\n";
    text += "GRID  0 0 0  0 0 0  0 0 0 PROB_DENSITY\nSEARCH OCTREE nInitial 0 nEvaluated 0\n";
    text += fmt::format("HYPOCENTER  x {:g} y {:g} z {:g}  OT {:g}  ix -1 iy -1 iz -1\n",
                        event.position.x, event.position.y, event.position.z, at.second);
    text += fmt::format(
        "GEOGRAPHIC  OT {:04} {:02} {:02}  {:02} {:02} {:.6f}  Lat {:.6f} Long {:.6f} Depth "
        "{:.6f}\n",
        at.year, at.month, at.day, at.hour, at.minute, at.second, place.latitude, place.longitude,
        event.position.z);
    text += fmt::format(
        "QUALITY  Pmax 0 MFmin 0 MFmax 0 RMS {:g} Nphs {} Gap {:g} Dist {:g} Mamp -9.90 0 Mdur "
        "-9.90 0\n",
        event.rms, event.used, event.gap, event.nearest);
    text += "VPVSRATIO  VpVsRatio -1  Npair 0  Diff 0\n";
    text += statistics(event, mean);
    text += fmt::format("STAT_GEOG  ExpectLat {:.6f} Long {:.6f} Depth {:.6f}\n", expected.latitude,
                        expected.longitude, mean.z);
    text += transform_line(plane) + "\n";
    text += fmt::format(
        "QML_OriginQuality  assocPhCt {}  usedPhCt {}  assocStaCt -1  usedStaCt -1  depthPhCt -1  "
        "stdErr {:g}  azGap {:g}  secAzGap -1  gtLevel -  minDist {:g} maxDist -1 medDist -1\n",
        event.picks, event.used, event.rms, event.gap, event.nearest);
    text +=
        "PHASE ID Ins Cmp On Pha  FM Date     HrMn   Sec     Err  ErrMag    Coda      Amp       "
        "Per       PriorWt  >   TTpred    Res       Weight    StaLoc(X  Y         Z)        SDist  "
        "  SAzim  RAz  RDip RQual    Tcorr       TTerr\n";
    for (const std::int32_t a : arrivals) {
        const auto i = static_cast<std::size_t>(a);
        const Arrival& arrival = survey.arrivals[i];
        text += phase_line(survey, arrival, catalogue.fits[i],
                           phases.empty() ? name_of(arrival.phase) : std::string_view(phases[i]),
                           polarities.empty() ? Polarity{0} : polarities[i]);
    }
    return text + "END_PHASE\nEND_NLLOC\n\n";
}

void write_grid(const fs::path& root, const std::string& station, Vec3 place, bool radial,
                const TimeFieldView<float>& field, double stretch, const LocalPlane* plane) {
    const Grid& grid = field.grid;
    const Shape n = grid.shape;
    std::vector<float> times;
    times.reserve(grid.node_count());
    for (int x = 0; x < n.x; ++x) {
        for (int y = 0; y < n.y; ++y) {
            for (int z = 0; z < n.z; ++z) {
                const double time = stretch * time_at(field, grid.position({x, y, z}));
                if (!std::isfinite(time)) {
                    throw InputError(fmt::format(
                        "no wave of station {} reaches node ({}, {}, {}), as in air (NonLinLoc's "
                        "grids have a time at every node)",
                        in_quotes(station), x, y, z));
                }
                times.push_back(static_cast<float>(time));
            }
        }
    }
    OutputFile buffer(root.string() + ".buf");
    buffer.write({reinterpret_cast<const char*>(times.data()), times.size() * sizeof(float)});
    OutputFile header(root.string() + ".hdr");
    const Vec3 first = grid.position({0, 0, 0});
    const Vec3 h = grid.spacing;
    // A 2-D grid has one plane across x; its y is the distance from the station.
    header.write(radial ? fmt::format("1 {} {}  0.0 0.0 {}  {} {} {} TIME2D FLOAT\n", n.x, n.z,
                                      first.z, h.x, h.x, h.z)
                        : fmt::format("{} {} {}  {} {} {}  {} {} {} TIME FLOAT\n", n.x, n.y, n.z,
                                      first.x, first.y, first.z, h.x, h.y, h.z));
    header.write(fmt::format("{} {} {} {}\n", station, place.x, place.y, place.z));
    header.write(transform_line(plane) + "\n");
    buffer.commit();
    header.commit();
}

}  // namespace

void write_nonlinloc_hyp(const fs::path& path, const Survey& survey, const Catalogue& catalogue,
                         const LocalPlane* plane, std::span<const std::string> phases,
                         std::span<const Polarity> polarities) {
    const ArrivalLists lists = by_event(survey);
    OutputFile file(path);
    for (std::size_t n = 0; n < survey.events.size(); ++n) {
        if (!is_located(catalogue.events[n].status)) continue;
        file.write(event_text(survey, catalogue, n, lists[n], plane, phases, polarities));
    }
    file.commit();
}

std::size_t write_nonlinloc_times(const fs::path& root, const Survey& survey,
                                  const StationFields& fields, const LocalPlane* plane) {
    if (survey.is_2d) throw InputError("NonLinLoc's time grids are 3-D, and the model is 2-D");
    std::set<std::pair<std::int32_t, Phase>> written;
    for (const Arrival& arrival : survey.arrivals) {
        const int field = fields.of(arrival);
        if (field < 0 || !written.emplace(arrival.station, arrival.phase).second) continue;
        const Station& station = survey.station_of(arrival);
        const std::string name = name_of(survey, station);
        if (name.find_first_of(" /\\") != std::string::npos) {
            throw InputError(
                fmt::format("station {} cannot name a file (must have no blanks and slashes)",
                            in_quotes(name)));
        }
        write_grid(fmt::format("{}.{}.{}.time", root.string(), name_of(arrival.phase), name), name,
                   station.position, fields.radial(), fields.view(field),
                   fields.stretch(arrival.phase), plane);
    }
    return written.size();
}

}  // namespace fermat
