#include "bench/costa_rica.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <random>
#include <tuple>

#include "core/error.hpp"
#include "model/makers.hpp"

namespace fermat::bench {
namespace {

using Metres = std::int64_t;

constexpr Metres length_x = 300'000;
constexpr Metres length_y = 250'000;
constexpr Metres length_z = 120'000;

struct Place {
    Metres x = 0;
    Metres y = 0;
    Metres z = 0;

    /// Rounds once, from whole metres, so that the point is the same on every machine.
    Vec3 in_km() const {
        const auto km = [](Metres m) { return static_cast<double>(m) / 1000; };
        return {km(x), km(y), km(z)};
    }
};

/// Random integers in [low, high). The standard defines the engine's numbers but not its
/// distributions; the bias of a remainder is below 1e-13 here.
class Dice {
  public:
    explicit Dice(std::uint64_t seed) : engine_(seed) {}

    Metres between(Metres low, Metres high) {
        return low + static_cast<Metres>(engine_() % static_cast<std::uint64_t>(high - low));
    }

  private:
    std::mt19937_64 engine_;
};

std::vector<Place> make_stations(int count, Dice& dice) {
    std::vector<Place> stations;
    for (int n = 0; n < count; ++n) {
        stations.push_back({dice.between(90'000, 290'000), dice.between(10'000, 240'000), 0});
    }
    return stations;
}

/// Depth of the slab. It dips by 15 degrees under the sea and by 45 degrees further on: slopes of
/// 27/100 and 1.
Metres slab_depth(Metres x) {
    constexpr Metres hinge = 120'000;
    const Metres shallow = 5'000 + std::min(x, hinge) * 27 / 100;
    return x > hinge ? shallow + (x - hinge) : shallow;
}

Place make_source(Dice& dice) {
    const Metres kind = dice.between(0, 100);
    const Metres y = dice.between(10'000, 240'000);
    if (kind < 30) return {dice.between(80'000, 280'000), y, dice.between(1'000, 25'000)};
    const Metres x = kind < 90 ? dice.between(30'000, 140'000) : dice.between(140'000, 180'000);
    return {x, y, std::clamp<Metres>(slab_depth(x) + dice.between(-4'000, 12'000), 1'000, 110'000)};
}

std::vector<RayPair> near_pairs(const std::vector<Place>& sources,
                                const std::vector<Place>& stations, std::size_t count, Dice& dice) {
    struct Candidate {
        Metres key = 0;
        RayPair pair;
    };
    std::vector<Candidate> all;
    for (std::size_t s = 0; s < sources.size(); ++s) {
        for (std::size_t r = 0; r < stations.size(); ++r) {
            const Metres dx = sources[s].x - stations[r].x;
            const Metres dy = sources[s].y - stations[r].y;
            all.push_back({(dx * dx + dy * dy) * dice.between(1'000, 8'000),
                           {static_cast<std::int32_t>(s), static_cast<std::int32_t>(r)}});
        }
    }
    const auto order = [](const RayPair& p) { return std::tuple(p.source, p.receiver); };
    std::sort(all.begin(), all.end(), [&](const Candidate& a, const Candidate& b) {
        return std::tuple(a.key, order(a.pair)) < std::tuple(b.key, order(b.pair));
    });
    std::vector<RayPair> pairs;
    for (std::size_t n = 0; n < count; ++n) pairs.push_back(all[n].pair);
    std::sort(pairs.begin(), pairs.end(),
              [&](const RayPair& a, const RayPair& b) { return order(a) < order(b); });
    return pairs;
}

/// The reference profile has a point at the depth of each node, so that nothing is interpolated and
/// rounding does not differ between machines.
Model make_model() {
    constexpr double spacing = 5;
    constexpr double velocities[] = {5.35, 5.6,  6.1,  6.5,  6.8,  6.95, 7.1,  7.35, 7.6,
                                     7.75, 7.9,  7.95, 8.0,  8.02, 8.04, 8.06, 8.08, 8.1,
                                     8.12, 8.14, 8.16, 8.18, 8.2,  8.22, 8.24};
    const auto nodes = [](Metres length) { return static_cast<int>(length / 5'000) + 1; };
    const Grid grid{
        {nodes(length_x), nodes(length_y), nodes(length_z)}, {}, {spacing, spacing, spacing}};
    std::vector<DepthVelocity> reference;
    for (const double v : velocities) {
        reference.push_back({spacing * static_cast<double>(reference.size()), v});
    }
    constexpr double column = std::numeric_limits<double>::infinity();
    return checkerboard_model(profile_model(grid, reference), {{20, 20, column}, 0.1});
}

std::vector<Vec3> in_km(const std::vector<Place>& places) {
    std::vector<Vec3> points;
    for (const Place& place : places) points.push_back(place.in_km());
    return points;
}

}  // namespace

LocalSurvey costa_rica_survey(const LocalSurveyOptions& options) {
    constexpr int most = 100'000;
    for (const auto& [name, count] :
         {std::pair("sources", options.sources), std::pair("stations", options.stations)}) {
        if (count < 1 || count > most) {
            throw InputError(
                fmt::format("{} of the survey is {} (must be from 1 to {})", name, count, most));
        }
    }
    const std::int64_t pairs = std::int64_t{options.sources} * options.stations;
    if (options.pairs < 1 || options.pairs > pairs) {
        throw InputError(fmt::format(
            "pairs of the survey is {} (must be from 1 to {}, every source with every station)",
            options.pairs, pairs));
    }
    Dice dice(options.seed);
    const auto stations = make_stations(options.stations, dice);
    std::vector<Place> sources;
    for (int n = 0; n < options.sources; ++n) sources.push_back(make_source(dice));
    std::vector<PointSource> shots;
    for (const Vec3 p : in_km(sources)) shots.push_back({p, 0});
    const auto near = near_pairs(sources, stations, static_cast<std::size_t>(options.pairs), dice);
    return {make_model(), survey_of(shots, in_km(stations), near)};
}

}  // namespace fermat::bench
