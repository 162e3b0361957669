#include "cli/ray_survey.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "cli/flags.hpp"
#include "cli/survey.hpp"
#include "core/error.hpp"
#include "io/columns.hpp"
#include "io/csv.hpp"
#include "io/geometry.hpp"

namespace fermat::cli {
namespace {

namespace fs = std::filesystem;

/// Reads an index below `count` from a table.
std::int32_t read_index(const CsvTable& table, std::size_t row, std::size_t column,
                        std::size_t count) {
    const std::int64_t value = table.integer(row, column);
    if (value < 0 || static_cast<std::uint64_t>(value) >= count) {
        throw InputError(fmt::format("{}column '{}' is {} (must be from 0 to {})", table.where(row),
                                     table.names()[column], value, count - 1));
    }
    return static_cast<std::int32_t>(value);
}

/// Indices of points in a list, which must contain all of them.
std::vector<std::int32_t> find_points(const std::vector<Vec3>& points,
                                      const std::vector<Vec3>& list, const fs::path& picks,
                                      const char* role) {
    std::map<std::tuple<double, double, double>, std::int32_t> numbers;
    const auto key = [](Vec3 p) { return std::tuple(p.x + 0.0, p.y + 0.0, p.z + 0.0); };
    for (std::size_t i = 0; i < list.size(); ++i) {
        numbers.try_emplace(key(list[i]), static_cast<std::int32_t>(i));
    }
    std::vector<std::int32_t> found;
    for (const Vec3 p : points) {
        const auto it = numbers.find(key(p));
        if (it == numbers.end()) {
            throw InputError(fmt::format(
                "'{0}' has a {1} at ({2:g}, {3:g}, {4:g}) that is not in --{1}s (leave out --{1}s "
                "to take those of the picks)",
                picks.string(), role, p.x, p.y, p.z));
        }
        found.push_back(it->second);
    }
    return found;
}

template <class Point>
std::vector<Vec3> positions_of(const std::vector<Point>& points) {
    std::vector<Vec3> positions;
    for (const Point& point : points) positions.push_back(point.position);
    return positions;
}

/// The phases of a list such as "P,S".
std::vector<Phase> parse_phases(const std::string& text) {
    std::vector<Phase> phases;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        phases.push_back(parse_choice<Phase>(text.substr(begin, end - begin)));
        begin = end + 1;
    }
    return phases;
}

/// The arrivals of some phases. Notes how many are left out.
Survey only(const Survey& survey, const std::vector<Phase>& phases, const fs::path& file,
            Notes& notes) {
    std::vector<std::int32_t> kept;
    for (const Phase phase : phases) {
        const auto some = arrivals_of(survey, phase);
        kept.insert(kept.end(), some.begin(), some.end());
    }
    if (kept.empty()) {
        throw InputError(
            fmt::format("'{}' has no pick of the phases that --phases names", file.string()));
    }
    std::sort(kept.begin(), kept.end());
    kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
    const std::size_t dropped = survey.arrivals.size() - kept.size();
    if (dropped > 0) {
        notes.add(
            fmt::format("'{}': {} of {} picks are of other phases than --phases and were "
                        "left out",
                        file.string(), dropped, survey.arrivals.size()));
    }
    return subset(survey, kept);
}

/// One arrival of each phase in place of every arrival.
Survey of_each(const Survey& survey, const std::vector<Phase>& phases) {
    Survey out = survey;
    out.arrivals.clear();
    for (Arrival arrival : survey.arrivals) {
        for (const Phase phase : phases) {
            arrival.phase = phase;
            out.arrivals.push_back(arrival);
        }
    }
    return out;
}

void take_picks(const Model& model, const fs::path& file, Survey& survey, Notes& notes) {
    Survey picks = read_model_picks(model, file, notes);
    fit_to_model(model, picks, file, AirPoints::allowed);
    if (survey.events.empty()) survey.events = picks.events;
    if (survey.stations.empty()) survey.stations = picks.stations;
    const auto events =
        find_points(positions_of(picks.events), positions_of(survey.events), file, "source");
    const auto stations =
        find_points(positions_of(picks.stations), positions_of(survey.stations), file, "receiver");
    for (Arrival pick : picks.arrivals) {
        pick.event = events[static_cast<std::size_t>(pick.event)];
        pick.station = stations[static_cast<std::size_t>(pick.station)];
        survey.arrivals.push_back(pick);
    }
}

}  // namespace

std::vector<RayPair> read_pairs(const fs::path& path, std::size_t sources, std::size_t receivers,
                                Notes& notes) {
    const CsvTable table(path);
    const std::size_t source = table.column("source");
    const std::size_t receiver = table.column("receiver");
    constexpr std::array<std::string_view, 2> known = {"source", "receiver"};
    note_unused_columns(fmt::format("'{}'", path.string()), table.names(), known,
                        "pairs are source,receiver", notes);
    std::vector<RayPair> pairs;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        pairs.push_back(
            {read_index(table, row, source, sources), read_index(table, row, receiver, receivers)});
    }
    if (pairs.empty()) {
        throw InputError(fmt::format("'{}' has a header and no rows", path.string()));
    }
    return pairs;
}

void add_ray_survey_flags(CLI::App& app, RaySurveyFlags& flags, const std::string& picks) {
    add_repeated(app, "--source", "X,Y,Z", flags.source, "a source; X,Z in 2-D; once per source");
    add_path(app, "--sources", flags.sources,
             "sources: CSV with columns x,y,z[,start_time] (no y in 2-D), or .sgt");
    add_path(app, "--receivers", flags.receivers,
             "receivers: CSV with columns x,y,z (no y in 2-D), or .sgt");
    add_path(app, "--pairs", flags.pairs,
             "CSV with columns source,receiver, numbered from 0 (default: all pairs)");
    add_path(app, "--picks", flags.picks, picks);
    app.add_option("--phases", flags.phases,
                   "P, S or P,S: of each pair, or of --picks those to take (default: P, or all "
                   "picks)");
}

Survey read_ray_survey(const Model& model, const RaySurveyFlags& flags, Notes& notes) {
    if (flags.pairs && flags.picks) {
        throw InputError("--pairs and --picks are both given (must be one of them)");
    }
    if (!flags.receivers && !flags.picks) {
        throw InputError("no receiver is given (use --receivers r.csv or --picks p.csv)");
    }
    std::vector<PointSource> sources;
    std::vector<Vec3> receivers;
    if (!flags.picks || flags.sources || !flags.source.empty()) {
        sources =
            read_survey_sources(model, flags.source, flags.sources, AirPoints::allowed, notes);
    }
    if (flags.receivers) {
        receivers = read_survey_receivers(model, *flags.receivers, AirPoints::allowed, notes);
    }
    const std::vector<Phase> phases = parse_phases(flags.phases);
    std::vector<RayPair> pairs;
    if (flags.pairs) pairs = read_pairs(*flags.pairs, sources.size(), receivers.size(), notes);
    if (!flags.pairs && !flags.picks) pairs = all_pairs(sources.size(), receivers.size());
    Survey survey = survey_of(sources, receivers, pairs);
    if (flags.picks) {
        take_picks(model, *flags.picks, survey, notes);
        if (!phases.empty()) survey = only(survey, phases, *flags.picks, notes);
    } else if (!phases.empty()) {
        survey = of_each(survey, phases);
    }
    return subset(survey, ray_order(survey));
}

}  // namespace fermat::cli
