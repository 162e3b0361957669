#include "cli/picks_convert.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "cli/centre_flag.hpp"
#include "cli/flags.hpp"
#include "cli/help.hpp"
#include "cli/outputs.hpp"
#include "cli/tell.hpp"
#include "core/error.hpp"
#include "io/phase_picks.hpp"
#include "io/pick_units.hpp"
#include "io/survey_file.hpp"

namespace fermat::cli {
namespace {

void add_flags(CLI::App& app, PicksConvertFlags& flags) {
    PickReadOptions& options = flags.options;
    add_path(
        app, "--in,input", flags.in,
        "picks to read: .csv, .sgt, .gtt, .gp, .vs, tx.in, tomo2d, src_rec, a folder of PyRefra, a "
        "catalogue with its --stations, or any table")
        ->required();
    add_choice(app, "--format", options.format, "of the file, if its name does not tell");
    add_repeated(app, "--columns", "OURS=THEIRS,...", flags.columns,
                 "columns of a table: source_x, source_y, source_z (depth) or source_height, "
                 "source_longitude, source_latitude, the same of receiver_, time, error, valid, "
                 "phase; without a header THEIRS is a number from 1");
    add_repeated(app, "--unit", "WHAT=UNIT", flags.units,
                 "units of the file: time=ms, length=km, or of a column, receiver_height=m");
    add_repeated(app, "--to", "WHAT=UNIT", flags.to,
                 "units to write: time=s, length=m (default where --unit is given)");
    add_value(app, "--phase", "NAME", options.phase, "take only arrivals of this phase or code",
              [](std::string_view, std::string_view text) { return std::string(text); });
    app.add_flag("--heights", options.heights, "z of a table counts upward");
    app.add_flag("--depths", options.depths, "z of PyRefra counts downward");
    app.add_flag("--relative-errors", options.relative_errors,
                 "errors are fractions of the times, not times");
    app.add_flag("--line", options.on_line, "make the survey 2-D along its straight line");
    app.add_flag("--leave-out-bad", options.leave_out_bad,
                 "leave out negative and missing times; errors that are not > 0 count as missing");
    app.add_flag("--geographic", flags.write.geographic,
                 "write longitudes and latitudes, from the plane that the file keeps");
    add_path(
        app, "--stations", flags.stations,
        "of catalogues (QuakeML, SCML, NonLinLoc's .obs, hypoDD's phase.dat, HYPOINVERSE, HYPO71, "
        "VELEST's .cnv, SIMULPS's events, LOTOS's rays.dat): where stations are, as for fermat "
        "locate");
    add_path(app, "--events", flags.events,
             "of catalogues: where and when events were, if the picks' file does not tell");
    add_centre_flag(app, flags.centre);
    add_text_output(app, "-o,--output", flags.output,
                    "picks to write, by the name: .csv, .sgt, NonLinLoc's .obs, VELEST's .cnv, "
                    "hypoDD's phase.dat, TomoATT's src_rec, LOTOS's rays.dat, QuakeML (.xml); or - "
                    "for CSV on standard output")
        ->required();
    add_choice(app, "--output-format", flags.write.format,
               "of the output, if its name does not tell");
    add_text_output(app, "--output-stations", flags.write.stations,
                    "stations to write in the same format: GTSRCE lines, .sta, station.dat, "
                    "stat_ft.dat, StationXML");
}

std::pair<std::string, std::string> split_pair(const std::string& flag, const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
        throw InputError(flag_message(flag, text, "must be two names with '=' between them"));
    }
    return {text.substr(0, equals), text.substr(equals + 1)};
}

std::vector<std::pair<std::string, std::string>> pairs_of(const std::string& flag,
                                                          const std::vector<std::string>& texts) {
    std::vector<std::pair<std::string, std::string>> pairs;
    for (const std::string& text : texts) {
        for (std::size_t begin = 0; begin <= text.size();) {
            const std::size_t end = std::min(text.find(',', begin), text.size());
            pairs.push_back(split_pair(flag, text.substr(begin, end - begin)));
            begin = end + 1;
        }
    }
    return pairs;
}

PickReadOptions options_of_flags(const PicksConvertFlags& flags) {
    PickReadOptions options = flags.options;
    options.columns = pairs_of("--columns", flags.columns);
    for (const auto& [what, unit] : pairs_of("--unit", flags.units)) {
        set_unit(options, what, unit);
    }
    for (const auto& [what, unit] : pairs_of("--to", flags.to)) {
        set_wanted_unit(options, what, unit);
    }
    return options;
}

/// What was read, and the magnitudes of its events, if it has some.
struct Converted {
    SurveyFile file;
    std::vector<double> magnitudes{};
};

/// Picks of a catalogue at the places of its events and stations. Tables need places of all events.
Converted read_catalogue(const PicksConvertFlags& flags, bool to_table, Notes& notes) {
    const PickReadOptions& options = flags.options;
    const bool others = !flags.columns.empty() || !flags.units.empty() || !flags.to.empty() ||
                        !options.phase.empty() || options.heights || options.depths ||
                        options.relative_errors || options.on_line || options.leave_out_bad;
    if (others) {
        throw InputError(
            "--stations and --events go with the formats of catalogues, which have their units and "
            "columns (leave the other flags of tables out)");
    }
    SurveyFile read =
        read_phase_picks({flags.in, flags.stations, flags.events, flags.centre}, notes);
    const auto& events = read.picks.events;
    const auto nowhere = std::count_if(events.begin(), events.end(), [](const Event& event) {
        return !is_finite(event.position);
    });
    if (nowhere > 0 && to_table) {
        throw InputError(
            fmt::format("{} of {} events have no place (give --events, or find them: fermat locate "
                        "--moved-picks)",
                        nowhere, events.size()));
    }
    SurveyFile out{{}, std::move(read.picks), read.plane};
    out.polarities = std::move(read.polarities);
    return {std::move(out), std::move(read.magnitudes)};
}

}  // namespace

void add_picks_convert(CLI::App& picks, PicksConvertFlags& flags) {
    CLI::App& convert =
        *picks.add_subcommand("convert", "Read and write picks in the formats of others");
    convert.fallthrough();
    convert.footer(example_text(
        "printf 'shot,geo,z,t\\n0,5,0,4.1\\n0,10,0,7.8\\n20,5,0,11.9\\n' > field.txt\n"
        "fermat picks convert field.txt --columns source_x=shot,receiver_x=geo --columns "
        "source_z=z,receiver_z=z,time=t --unit time=ms -o picks.csv\n"
        "fermat picks convert picks.csv -o picks.sgt"));
    add_flags(convert, flags);
    // Flags of `fermat picks` are not flags of the command below it.
    convert.callback([&picks, &flags] {
        for (const CLI::Option* option : picks.get_options()) {
            if (option->count() == 0) continue;
            throw InputError(
                fmt::format("{} is a flag of fermat picks (fermat picks convert does not have it)",
                            option->get_name()));
        }
        flags.called = true;
    });
}

void convert_picks(const PicksConvertFlags& flags, const Run& run) {
    const bool to_stdout = is_standard_output(flags.output);
    const WrittenFormat format = written_format(flags.output, flags.write.format);
    Notes notes;
    std::error_code ignored;
    const bool is_file = std::filesystem::is_regular_file(flags.in, ignored);
    const bool catalogue =
        flags.stations || flags.events ||
        (is_file && flags.options.format == PickFormat::automatic && needs_stations(flags.in));
    const Converted read =
        catalogue ? read_catalogue(flags, !is_catalogue_format(format), notes)
                  : Converted{read_pick_survey(flags.in, options_of_flags(flags), notes)};
    const SurveyFile& survey = read.file;
    write_picks_as(flags.output,
                   {survey, read.magnitudes.empty() ? survey.magnitudes : read.magnitudes},
                   flags.write, notes);
    tell(notes);
    if (run.common.quiet || to_stdout) return;
    const Survey& picks = survey.picks;
    double first = std::numeric_limits<double>::infinity();
    double last = 0;
    for (const Arrival& pick : picks.arrivals) {
        const double time = pick.time - picks.event_of(pick).origin_time;
        first = std::min(first, time);
        last = std::max(last, time);
    }
    fmt::print("{} picks of {} sources and {} receivers in {}-D, time {:g} to {:g}\n",
               picks.arrivals.size(), picks.events.size(), picks.stations.size(),
               picks.is_2d ? 2 : 3, first, last);
}

}  // namespace fermat::cli
