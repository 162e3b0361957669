#include "cli/ray_survey.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
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

std::vector<Vec3> positions_of(const std::vector<PointSource>& sources) {
    std::vector<Vec3> positions;
    for (const PointSource& source : sources) positions.push_back(source.position);
    return positions;
}

/// The points of picks, fitted to the model.
std::vector<Vec3> fitted(const Model& model, const Picks& picks, const fs::path& file,
                         PointRole role) {
    PointList list;
    list.positions = role == PointRole::source ? picks.sources : picks.receivers;
    list.is_2d = picks.is_2d;
    return fit_to_model(model, std::move(list), file, role, AirPoints::allowed).positions;
}

void take_picks(const Model& model, const fs::path& file, RaySurvey& survey, Notes& notes) {
    const Picks picks = read_picks(file, notes);
    const auto sources = fitted(model, picks, file, PointRole::source);
    const auto receivers = fitted(model, picks, file, PointRole::receiver);
    if (survey.sources.empty()) {
        for (const Vec3 p : sources) survey.sources.push_back({p, 0});
    }
    if (survey.receivers.empty()) survey.receivers = receivers;
    const auto source_numbers = find_points(sources, positions_of(survey.sources), file, "source");
    const auto receiver_numbers = find_points(receivers, survey.receivers, file, "receiver");
    for (const Pick& pick : picks.picks) {
        survey.pairs.push_back({source_numbers[static_cast<std::size_t>(pick.source)],
                                receiver_numbers[static_cast<std::size_t>(pick.receiver)]});
        survey.pick_times.push_back(pick.time);
    }
}

/// Groups the pairs by source; pairs of one source keep their order. Rays are traced in this order.
void group_by_source(RaySurvey& survey) {
    std::vector<std::size_t> order(survey.pairs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return survey.pairs[a].source < survey.pairs[b].source;
    });
    std::vector<RayPair> pairs;
    std::vector<double> times;
    for (const std::size_t i : order) {
        pairs.push_back(survey.pairs[i]);
        if (!survey.pick_times.empty()) times.push_back(survey.pick_times[i]);
    }
    survey.pairs = std::move(pairs);
    survey.pick_times = std::move(times);
}

}  // namespace

void add_ray_survey_flags(CLI::App& app, RaySurveyFlags& flags, const std::string& picks) {
    add_repeated(app, "--source", "X,Y,Z", flags.source, "a source; X,Z in 2-D; once a source");
    add_path(app, "--sources", flags.sources,
             "sources: CSV with columns x,y,z[,start_time] (no y in 2-D), or .sgt");
    add_path(app, "--receivers", flags.receivers,
             "receivers: CSV with columns x,y,z (no y in 2-D), or .sgt");
    add_path(app, "--pairs", flags.pairs,
             "CSV with columns source,receiver, numbered from 0 (default: all pairs)");
    add_path(app, "--picks", flags.picks, picks);
}

RaySurvey read_ray_survey(const Model& model, const RaySurveyFlags& flags, Notes& notes) {
    if (flags.pairs && flags.picks) {
        throw InputError("--pairs and --picks are both given (must be one of them)");
    }
    if (!flags.receivers && !flags.picks) {
        throw InputError("no receiver is given (use --receivers r.csv or --picks p.csv)");
    }
    RaySurvey survey;
    if (!flags.picks || flags.sources || !flags.source.empty()) {
        survey.sources =
            read_survey_sources(model, flags.source, flags.sources, AirPoints::allowed, notes);
    }
    if (flags.receivers) {
        survey.receivers =
            read_survey_receivers(model, *flags.receivers, AirPoints::allowed, notes);
    }
    if (flags.picks) {
        take_picks(model, *flags.picks, survey, notes);
    } else if (flags.pairs) {
        survey.pairs =
            read_pairs(*flags.pairs, survey.sources.size(), survey.receivers.size(), notes);
    } else {
        survey.pairs = all_pairs(survey.sources.size(), survey.receivers.size());
        return survey;
    }
    group_by_source(survey);
    return survey;
}

}  // namespace fermat::cli
