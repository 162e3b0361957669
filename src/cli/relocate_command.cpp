#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <span>
#include <string>

#include "cli/catalogue_export.hpp"
#include "cli/centre_flag.hpp"
#include "cli/commands.hpp"
#include "cli/eikonal_flags.hpp"
#include "cli/flags.hpp"
#include "cli/medium_flags.hpp"
#include "cli/option_flags.hpp"
#include "cli/outputs.hpp"
#include "cli/survey.hpp"
#include "cli/tell.hpp"
#include "core/error.hpp"
#include "io/difference_io.hpp"
#include "io/geometry.hpp"
#include "io/hypodd.hpp"
#include "io/phase_picks.hpp"
#include "io/relocation_io.hpp"
#include "io/suffix.hpp"
#include "survey/mapped_points.hpp"

namespace fermat::cli {
namespace {

namespace fs = std::filesystem;

struct RelocateFlags {
    MediumFlags medium;
    std::optional<fs::path> picks;
    fs::path stations;
    std::optional<fs::path> events;
    std::optional<GeoPoint> centre;
    std::vector<std::string> differences;
    std::optional<fs::path> surface;
    RelocateOptions options;
    PairOptions pairs;
    AxisFlags axes;
    fs::path output;
    std::optional<fs::path> reloc;
    std::optional<fs::path> made;
    std::optional<fs::path> fits;
    CatalogueExport exported;
};

void add_flags(CLI::App& app, RelocateFlags& flags) {
    add_medium_flags(app, flags.medium);
    add_path(app, "--events", flags.events,
             "where and when events were: CSV with event,x,y,z,origin_time, as fermat locate "
             "writes it, hypoDD's event.dat, phase.dat or hypoDD.reloc, or NonLinLoc's .hyp");
    add_path(app, "--stations", flags.stations,
             "CSV with station,x,y,z, hypoDD's station.dat or NonLinLoc's GTSRCE lines")
        ->required();
    mark_file(add_repeated(app, "--differences", "FILE", flags.differences,
                           "dt.ct or dt.cc of hypoDD; once per file"),
              FileRole::input);
    add_path(app, "--picks", flags.picks,
             "picks that catalogue differences are made of: as for fermat locate, or phase.dat");
    add_centre_flag(app, flags.centre);
    add_path(app, "--surface", flags.surface,
             "ground above which no event is: CSV with x,y,z, or .sgt");
    add_option_flags(app, flags.options, flags.axes);
    add_option_flags(app, flags.pairs, flags.axes);
    add_text_output(app, "-o,--output", flags.output,
                    "events to write: CSV, one row per event; - for standard output")
        ->required();
    add_text_output(app, "--reloc", flags.reloc, "the same as hypoDD.reloc");
    add_text_output(app, "--made-differences", flags.made,
                    "dt.ct to write: the differences made of --picks");
    add_text_output(app, "--fits", flags.fits,
                    "CSV to write, one row per difference: residual and weight");
    add_catalogue_export(app, flags.exported);
}

/// How many clusters there are, and how large the first ones are.
std::string clusters_text(const std::vector<int>& sizes) {
    if (sizes.size() == 1) return "1 cluster";
    constexpr std::size_t shown = 5;
    const std::span<const int> first(sizes.data(), std::min(shown, sizes.size()));
    return fmt::format("{} clusters of {}{} events", sizes.size(), fmt::join(first, ", "),
                       sizes.size() > shown ? ", ..." : "");
}

void summarise(const Relocation& found, const std::vector<TimeDifference>& differences,
               double seconds) {
    std::size_t moved = 0;
    for (const RelocatedEvent& event : found.events) moved += event.cluster >= 0;
    fmt::print("{} of {} events relocated in {} by {} differences, {} iteration{}, {:.3g} s\n",
               moved, found.events.size(), clusters_text(found.cluster_sizes), differences.size(),
               found.iterations, found.iterations == 1 ? "" : "s", seconds);
    for (const std::string& line : describe(differences, found)) {
        fmt::print("{}\n", with_flags(line));
    }
}

void relocate_events(const RelocateFlags& flags, const Run& run) {
    usable_device(run.common);
    if (flags.differences.empty() && !flags.picks) {
        throw InputError("no differences are given (give --differences, or --picks to make them)");
    }
    check_export(flags.exported);
    if (flags.made && !flags.picks) throw InputError("--made-differences needs --picks");
    if (!flags.events && !flags.picks) throw InputError("--events is missing");
    Notes notes;
    const Medium medium = medium_of(flags.medium, notes);
    const Model& model = medium.first();
    PhaseFiles files{flags.picks.value_or(fs::path()), flags.stations, flags.events, flags.centre};
    files.on_sphere = on_sphere(model);
    SurveyFile picks =
        flags.picks ? read_phase_picks(files, notes) : read_hypocentres(files, notes);
    std::optional<LocalPlane> sphere;
    if (files.on_sphere) sphere = leave_plane(picks, false, "");
    const Survey& survey = picks.picks;
    std::vector<TimeDifference> differences;
    if (flags.picks) {
        differences = catalogue_differences(in_lengths(survey, model), flags.pairs, notes);
    }
    if (flags.made) write_hypodd_differences(*flags.made, survey, differences);
    for (const std::string& path : flags.differences) {
        const auto more = read_hypodd_differences(path, survey, notes);
        differences.insert(differences.end(), more.begin(), more.end());
    }
    check_export(flags.exported, sphere ? sphere : picks.plane);
    if (flags.reloc && !picks.plane && !sphere) {
        throw InputError("--reloc needs places by longitude and latitude");
    }
    std::optional<Surface> surface;
    if (flags.surface) surface.emplace(read_surface(*flags.surface, notes));
    const auto start = std::chrono::steady_clock::now();
    const Relocation found = relocate(medium, survey, differences, flags.options,
                                      surface ? &*surface : nullptr, run.execution(), &notes);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    tell(notes);
    run.monitor.check();
    const Clock clock = picks.has_dates ? Clock::dates : Clock::seconds;
    write_relocation(flags.output, survey, found, medium.place().mapping(),
                     picks.plane ? &*picks.plane : nullptr, clock, picks.magnitudes);
    const PlacedCatalogue placed(survey, catalogue_of(survey, found), picks.plane, sphere);
    if (flags.reloc) {
        Relocation moved = found;
        for (std::size_t n = 0; n < moved.events.size(); ++n) {
            moved.events[n].position = placed.found.events[n].position;
        }
        write_reloc(*flags.reloc, placed.survey, picks.magnitudes, moved, *placed.plane);
    }
    Notes lost;
    write_export(flags.exported, placed.survey, placed.plane, placed.found, picks.magnitudes, lost,
                 picks.polarities);
    tell(lost);
    if (flags.fits) write_difference_fits(*flags.fits, survey, differences, found);
    const bool to_stdout = is_standard_output(flags.output) || is_standard_output(flags.reloc) ||
                           is_standard_output(flags.made) || is_standard_output(flags.fits) ||
                           is_standard_output(flags.exported.file);
    if (!run.common.quiet && !to_stdout) summarise(found, differences, spent.count());
}

}  // namespace

void add_relocate_command(Program& program) {
    program.add_command<RelocateFlags>(
        program.root(), "relocate",
        "Where earthquakes were relative to one another, from differences of times",
        "fermat model gradient --shape 41,41,21 --spacing 1 --v0 5 --gradient 0.05 -o crust.h5\n"
        "printf 'station,x,y,z\\nA,5,5,0\\nB,35,6,0\\nC,6,34,0\\nD,33,35,0\\n' > stations.csv\n"
        "printf 'event,x,y,z,origin_time\\n1,20,20,8,0\\n2,20.5,20,8,60\\n' > events.csv\n"
        "printf '# 1 2 0\\nA -0.07 1 P\\nB 0.08 1 P\\nC -0.07 1 P\\nD 0.08 1 P\\n' > dt.cc\n"
        "fermat relocate --model crust.h5 --events events.csv --stations stations.csv "
        "--differences dt.cc -o relocated.csv",
        &add_flags, &relocate_events);
}

}  // namespace fermat::cli
