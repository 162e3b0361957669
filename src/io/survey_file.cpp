#include "io/survey_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "io/destination.hpp"
#include "io/input_file.hpp"
#include "io/number_lines.hpp"
#include "io/pick_readers.hpp"
#include "io/sgt.hpp"
#include "io/suffix.hpp"
#include "io/text.hpp"
#include "io/waveforms.hpp"

namespace fermat {
namespace {

namespace fs = std::filesystem;

std::string lower_name(const fs::path& path) {
    std::string name = path.filename().string();
    std::transform(name.begin(), name.end(), name.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return name;
}

/// True if the first bytes have zeros or other bytes that no text has.
bool is_binary(const fs::path& path) {
    constexpr std::size_t looked_at = 64;
    const std::string content = read_whole_file(path);
    const std::string_view start = std::string_view(content).substr(0, looked_at);
    return std::any_of(start.begin(), start.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte < 9 || (byte > 13 && byte < 32);
    });
}

/// TomoATT: an event's line (number, date, place, magnitude, arrivals, name, weight) and the line
/// of its first arrival, at one station or of two, with or without a weight.
bool is_src_rec(const std::vector<std::string_view>& event,
                const std::vector<std::string_view>& arrival) {
    constexpr std::size_t numbers = 12;
    if (event.size() < numbers || event.size() > numbers + 2) return false;
    if (!std::all_of(event.begin(), event.begin() + numbers,
                     [](std::string_view word) { return parse_number(word).has_value(); })) {
        return false;
    }
    const bool single = arrival.size() == 8 || arrival.size() == 9;
    const bool of_two = arrival.size() >= 13 && arrival.size() <= 15;
    return (single || of_two) && arrival[0] == event[0] && !parse_number(arrival[single ? 6 : 11]);
}

/// The format that the first two lines of a text show.
PickFormat format_of_lines(const fs::path& path) {
    NumberLines lines(path);
    const auto first = lines.next();
    const auto second = lines.next();
    if (second.empty()) return PickFormat::table;
    if (second[0] == "s" && second.size() == 4) return PickFormat::tomo2d;
    if (first[0] == "1996" && first.size() == 3) return PickFormat::seisimager;
    if (first.size() == 4 && first[3] == "0" && second.size() == 4) return PickFormat::rayinvr;
    if (is_src_rec(first, second)) return PickFormat::src_rec;
    return PickFormat::table;
}

SurveyFile read_as(PickFormat format, const fs::path& path, const PickReadOptions& options,
                   Notes& notes) {
    switch (format) {
        case PickFormat::automatic:
        case PickFormat::table:
            return read_pick_table(path, options, notes);
        case PickFormat::sgt:
            return read_sgt(path, notes, options);
        case PickFormat::gtt:
            return read_gtt(path, options, notes);
        case PickFormat::pyrefra:
            return read_pyrefra(path, options, notes);
        case PickFormat::seisimager:
            return read_seisimager(path, options, notes);
        case PickFormat::rayinvr:
            return read_rayinvr(path, options, notes);
        case PickFormat::tomo2d:
            return read_tomo2d(path, options, notes);
        case PickFormat::src_rec:
            return read_src_rec(path, options, notes);
    }
    return {};
}

/// Options that only a table has are refused elsewhere, rather than not used.
void require_table(PickFormat format, const fs::path& path, const PickReadOptions& options) {
    if (format == PickFormat::table) return;
    if (options.columns.empty() && options.column_units.empty()) return;
    throw InputError(fmt::format(
        "'{}' is read as {}, whose columns are fixed (leave out `columns`, or say `format=table`)",
        path.string(), name_of(format)));
}

}  // namespace

PickFormat pick_format_of(const fs::path& path) {
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) {
        if (fs::exists(path / "picks.dat", ignored)) return PickFormat::pyrefra;
        throw InputError(fmt::format(
            "'{}' is a folder without picks.dat (PyRefra's folders have picks.dat, shots.geo and "
            "receivers.geo; for others name a file)",
            path.string()));
    }
    const std::string name = lower_name(path);
    const std::string suffix = input_suffix_of(path);
    if (suffix == ".sgt") return PickFormat::sgt;
    if (suffix == ".gtt") return is_binary(path) ? PickFormat::gtt : PickFormat::sgt;
    if (suffix == ".vs") return PickFormat::seisimager;
    if (suffix == ".csv") return PickFormat::table;
    if (name.starts_with("tx") && (suffix == ".in" || suffix == ".out")) return PickFormat::rayinvr;
    if (name.starts_with("src_rec")) return PickFormat::src_rec;
    if (suffix == ".dat" && fs::exists(path.parent_path() / "shots.geo", ignored)) {
        return PickFormat::pyrefra;
    }
    if (is_binary(path)) {
        throw InputError(fmt::format(
            "'{}' is a binary file that is not known (picks are text, or .gtt)", path.string()));
    }
    return format_of_lines(path);
}

SurveyFile read_survey_file(const fs::path& path, const PickReadOptions& options, Notes& notes) {
    refuse_waveforms(path);
    const PickFormat format =
        options.format == PickFormat::automatic ? pick_format_of(path) : options.format;
    require_table(format, path, options);
    if (options.heights && options.depths) {
        throw InputError("z is said to be both height and depth (must be one of them)");
    }
    return read_as(format, path, options, notes);
}

void write_survey_file(const fs::path& path, const SurveyFile& survey, bool geographic) {
    if (geographic && !survey.plane) {
        if (!survey.projection.empty()) {
            throw InputError(fmt::format(
                "the plane of the picks, '{}', is one of PROJ, which the Python package knows "
                "(fermat.picks(FILE).save(..., geographic=True))",
                survey.projection));
        }
        throw InputError(
            "the picks have no plane to give longitudes and latitudes back from (it is the "
            "line '# local plane: ...' of a table that was converted from them)");
    }
    const bool is_file = destination_of(path).kind == Destination::Kind::file;
    const std::string suffix = suffix_of(path);
    if (suffix == ".sgt" && !geographic) {
        write_sgt(path, survey);
    } else if (!is_file || suffix == ".csv") {
        write_pick_table(path, survey, geographic);
    } else {
        throw InputError(fmt::format("cannot write '{}' (picks are written as .csv{})",
                                     path.string(), geographic ? "" : " or .sgt"));
    }
}

}  // namespace fermat
