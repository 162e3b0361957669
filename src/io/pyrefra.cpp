#include <fmt/format.h>

#include <cmath>
#include <map>

#include "core/error.hpp"
#include "io/format_table.hpp"
#include "io/number_lines.hpp"
#include "io/suffix.hpp"

namespace fermat {
namespace {

namespace fs = std::filesystem;

using Stations = std::map<long long, Vec3>;

long long station_number(const NumberLines& lines, const std::vector<std::string_view>& words,
                         std::size_t column, std::string_view what) {
    const double value = lines.finite(words, column, what);
    if (value != std::floor(value) || std::abs(value) > 1e15) {
        lines.fail(
            fmt::format("{} is {} (must be a whole number)", what, in_quotes(words[column])));
    }
    return static_cast<long long>(value);
}

/// Number, x, y, height and perhaps the component of each station.
Stations read_stations(const TextFile& file, bool depths) {
    NumberLines lines(file);
    Stations stations;
    while (true) {
        const auto words = lines.next();
        if (words.empty()) break;
        const long long number = station_number(lines, words, 0, "the number");
        const double z = lines.finite(words, 3, "z");
        const Vec3 p{lines.finite(words, 1, "x"), lines.finite(words, 2, "y"),
                     depths ? z : 0.0 - z};
        const auto [entry, added] = stations.try_emplace(number, p);
        if (!added && !(entry->second == p)) {
            lines.fail(fmt::format("station {} is given twice, at different places", number));
        }
    }
    if (stations.empty()) throw InputError(file.quoted() + " has no stations");
    return stations;
}

fs::path companion(const fs::path& folder, const std::string& name) {
    const fs::path path = folder / name;
    if (fs::exists(path)) return path;
    throw InputError(fmt::format(
        "'{}' is not there (PyRefra keeps picks.dat, shots.geo and receivers.geo in one folder)",
        path.string()));
}

/// A folder with picks.dat, or a `.dat` beside shots.geo.
bool is_pyrefra(const TextFile& file) {
    const fs::path& path = file.path();
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) {
        if (fs::exists(path / "picks.dat", ignored)) return true;
        throw InputError(fmt::format(
            "'{}' is a folder without picks.dat (PyRefra's folders have picks.dat, shots.geo and "
            "receivers.geo; for others name a file)",
            path.string()));
    }
    return input_suffix_of(path) == ".dat" && fs::exists(path.parent_path() / "shots.geo", ignored);
}

/// A folder of PyRefra, or its picks.dat: shot, receiver, time, earliest and latest time in s; the
/// error is half their distance. `shots.geo` and `receivers.geo` beside it give number, x, y and
/// height in m of the stations.
SurveyFile read_pyrefra(const TextFile& file, const PickReadOptions& options, Notes& notes) {
    const fs::path& path = file.path();
    const bool is_folder = fs::is_directory(path);
    const fs::path folder = is_folder ? path : path.parent_path();
    const TextFile picks = is_folder ? TextFile(companion(folder, "picks.dat")) : file;
    const Stations shots = read_stations(companion(folder, "shots.geo"), options.depths);
    const Stations receivers = read_stations(companion(folder, "receivers.geo"), options.depths);

    PickDialect dialect = PickDialect::of_program("m", "s");
    dialect.has_errors = true;
    dialect.flat_if_on_axis = true;
    PickBuilder builder(picks.path(), options, dialect);
    for (const auto& [number, point] : shots) builder.add_point(point);
    for (const auto& [number, point] : receivers) builder.add_point(point);
    NumberLines lines(picks);
    while (true) {
        const auto words = lines.next();
        if (words.empty()) break;
        const auto shot = shots.find(station_number(lines, words, 0, "the shot"));
        const auto receiver = receivers.find(station_number(lines, words, 1, "the receiver"));
        const double time = lines.number(words, 2, "time");
        if (shot == shots.end() || receiver == receivers.end()) {
            builder.leave_out(shot == shots.end() ? "have a shot that is not in shots.geo"
                                                  : "have a receiver that is not in receivers.geo");
            continue;
        }
        double error = missing_error;
        if (words.size() > 4) {
            error = 0.5 * (lines.number(words, 4, "the latest time") -
                           lines.number(words, 3, "the earliest time"));
        }
        builder.add({shot->second, receiver->second, time, error, lines.line()});
    }
    return builder.finish(notes);
}

}  // namespace

const PickReader pyrefra_picks{PickFormat::pyrefra, is_pyrefra, nullptr, read_pyrefra};

}  // namespace fermat
