#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "io/local_plane.hpp"
#include "io/polarity.hpp"
#include "location/catalogue.hpp"
#include "survey/survey.hpp"

namespace fermat {

/// How origin times are written.
enum class Clock { seconds, dates };

// All are CSV and also go to a device or pipe. What is not known is empty. Angles are degrees,
// azimuths clockwise from y towards x.

/// Names of a place: x, y, z, or longitude, latitude, z of a sphere; and a place in their order.
void add_place_names(std::vector<std::string>& names, const std::string& prefix, bool is_2d,
                     bool on_sphere);
Vec3 as_named(Vec3 place, bool on_sphere);

/// One row per event: status, place, longitude and latitude if there is a plane, origin time,
/// magnitude if one is known, standard deviations, covariance, semi-axes of the 68 and 95 %
/// ellipsoids with azimuth and plunge, RMS, gap, nearest station, picks and those used, quality;
/// with samples also their mean, their number of independent ones, and the log densities that bound
/// the 68 and 95 % regions. Places of a sphere are written as longitude, latitude and z, in degrees
/// and km; their errors are lengths east (x), north (y) and down.
void write_catalogue(const std::filesystem::path& path, const Survey& survey,
                     const Catalogue& catalogue, Clock clock, const LocalPlane* plane = nullptr,
                     bool on_sphere = false, std::span<const double> magnitudes = {});

/// One row per pick, in the order of the survey: residual, weight, distance, azimuth, take-off, and
/// the station term if there are terms. Names of phases and first motions, one per pick, are
/// written where they are given.
void write_fits(const std::filesystem::path& path, const Survey& survey, const Catalogue& catalogue,
                Clock clock, std::span<const std::string> phases = {},
                std::span<const Polarity> polarities = {});

/// One row per sample: event, place and log density.
void write_samples(const std::filesystem::path& path, const Survey& survey,
                   const Catalogue& catalogue, bool on_sphere = false);

}  // namespace fermat
