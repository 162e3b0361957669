#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <optional>
#include <string>

#include "cli/centre_flag.hpp"
#include "cli/commands.hpp"
#include "cli/eikonal_flags.hpp"
#include "cli/flags.hpp"
#include "cli/locate_flags.hpp"
#include "cli/outputs.hpp"
#include "cli/survey.hpp"
#include "cli/tell.hpp"
#include "core/error.hpp"
#include "io/catalogue_io.hpp"
#include "io/geographic_picks.hpp"
#include "io/geometry.hpp"
#include "io/layered_io.hpp"
#include "io/nonlinloc_results.hpp"
#include "io/survey_file.hpp"
#include "io/term_table.hpp"
#include "location/locate_phases.hpp"
#include "survey/mapped_points.hpp"

namespace fermat::cli {
namespace {

namespace fs = std::filesystem;

void add_flags(CLI::App& app, LocateFlags& flags) {
    add_medium_flags(app, flags.medium);
    add_path(app, "--picks", flags.files.picks,
             "CSV with event,station,time and perhaps phase, error; or picks as fermat picks "
             "writes them. Times are seconds or dates such as 2018-11-30T17:29:35.11. Or "
             "NonLinLoc's .obs or .hyp, hypoDD's phase.dat, TomoATT's src_rec, VELEST's .cnv, "
             "SIMULPS's events, LOTOS's rays.dat")
        ->required();
    add_path(
        app, "--stations", flags.files.stations,
        "CSV with station,x,y,z (no y in 2-D) or station,longitude,latitude,elevation (m), "
        "hypoDD's station.dat, NonLinLoc's GTSRCE lines, or stations of VELEST, SIMULPS or LOTOS");
    add_path(app, "--events", flags.files.events,
             "given positions, for --fixed and --prior: CSV with event,x,y,z, hypoDD's event.dat, "
             "phase.dat or hypoDD.reloc, or NonLinLoc's .hyp");
    add_centre_flag(app, flags.files.centre);
    add_path(app, "--surface", flags.surface,
             "ground above which no event is: CSV with x,y,z, or .sgt");
    add_value(app, "--box-low", "X,Y,Z", flags.box_low,
              "low corner of the box that is searched (default: the model's)", parse_axes);
    add_value(app, "--box-high", "X,Y,Z", flags.box_high,
              "high corner of the box that is searched (default: the model's)", parse_axes);
    add_option_flags(app, flags.options, flags.axes);
    mark_file(app.add_option("--terms", flags.terms,
                             "station terms, by which waves come later than the model says: "
                             "`find` finds one per station and phase, `ssst` terms that depend on "
                             "where events are; or CSV with station,phase,term as --made-terms "
                             "writes it, or terms.csv of fermat invert")
                  ->type_name("find|ssst|FILE"),
              FileRole::input);
    add_text_output(app, "--made-terms", flags.made_terms,
                    "station terms that were found, to write, for --terms");
    add_text_output(app, "-o,--output", flags.output,
                    "catalogue to write: CSV, one row per event; - for standard output")
        ->required();
    add_text_output(app, "--fits", flags.fits,
                    "CSV to write, one row per pick: residual, weight, azimuth, take-off angle");
    add_text_output(app, "--sampled", flags.sampled, "CSV to write, one row per sample");
    add_text_output(app, "--moved-picks", flags.moved,
                    "picks to write with the places and origin times that were found, without "
                    "gross errors, for fermat invert");
    add_text_output(app, "--hyp", flags.hyp,
                    "events to write as NonLinLoc's .hyp, all in one file");
    add_catalogue_export(app, flags.exported);
    add_text_output(
        app, "--first-motions", flags.motions,
        "first motions of P to write, with azimuth and take-off angle, for SKHASH, HASH "
        "or FPFIT; picks hold them in a column polarity, or as their format has them");
    add_choice(app, "--motion-format", flags.motion_format, "of --first-motions");
    add_value(app, "--angle-error", "DEGREES", flags.angle_error,
              "standard deviation of the angles of --first-motions", parse_real);
    app.add_flag(
        "--follow", flags.follow,
        "locate events as rows are appended to --picks, or come on standard input (-), and "
        "append a line of JSON per event to -o; a blank line ends all events before it");
    add_value(app, "--settle", "SECONDS", flags.settle,
              "with --follow: an event is complete if no pick of it came for so long", parse_real);
    add_output_folder(app, "--time-grids", flags.grids,
                      "start of the names of NonLinLoc's time grids to write, which NLLoc reads: "
                      "FILE.P.STATION.time.hdr and .buf",
                      FileRole::prefix);
}

}  // namespace

LocateOptions settled_options(const LocateFlags& flags, const Model& model) {
    const Grid& grid = model.grid();
    LocateOptions options = flags.options;
    settle_axes(options, flags.axes, grid.is_2d());
    if (flags.box_low.given() || flags.box_high.given()) {
        const Corners whole = model.place().corners();
        options.box =
            SearchBox{flags.box_low.given() ? to_point(flags.box_low, grid) : whole.low,
                      flags.box_high.given() ? to_point(flags.box_high, grid) : whole.high};
    }
    return options;
}

namespace {

/// What --terms asks for: terms that are found, or those of a file.
void settle_terms(const LocateFlags& flags, const SurveyFile& picks, bool sphere,
                  LocateOptions& options, Notes& notes) {
    if (flags.made_terms && !flags.terms) throw InputError("--made-terms needs --terms");
    if (!flags.terms) return;
    if (*flags.terms == "find") {
        options.terms = TermSearch::fixed;
    } else if (*flags.terms == "ssst") {
        options.terms = TermSearch::by_place;
    } else {
        options.given_terms =
            read_station_terms(fs::path(*flags.terms), picks.picks,
                               picks.plane ? &*picks.plane : nullptr, sphere, notes);
    }
}

void print_terms(const Catalogue& found) {
    if (!found.terms) return;
    double squares = 0;
    double count = 0;
    for (const PickFit& fit : found.fits) {
        if (!std::isfinite(fit.term)) continue;
        squares += fit.term * fit.term;
        ++count;
    }
    fmt::print("station terms of {:.3g} (rms)", count > 0 ? std::sqrt(squares / count) : 0);
    if (found.terms->by_place()) {
        fmt::print(" that depend on the place, with a radius of {:.3g}", found.terms->radius);
    }
    fmt::print("\n");
}

void print_qualities(const Catalogue& found) {
    std::string text;
    for (const auto& [name, quality] : choices<Quality>.entries) {
        if (quality == Quality::none) continue;
        const auto count = std::count_if(
            found.events.begin(), found.events.end(),
            [kind = quality](const Hypocentre& event) { return event.quality == kind; });
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name);
    }
    fmt::print("quality: {}\n", text);
}

void summarise(const Survey& survey, const Catalogue& found, bool error_found, double seconds) {
    std::vector<double> rms;
    for (const Hypocentre& event : found.events) {
        if (is_located(event.status)) rms.push_back(event.rms);
    }
    const std::size_t located = rms.size();
    std::sort(rms.begin(), rms.end());
    fmt::print("{} of {} events located from {} picks in {:.3g} s", located, survey.events.size(),
               survey.arrivals.size(), seconds);
    if (located > 0) fmt::print(", median rms {:.3g}", rms[located / 2]);
    fmt::print("\n");
    if (error_found && located > 0) {
        const auto size = found.errors.typical();
        fmt::print("model error found from the residuals: {:.3g} (P), {:.3g} (S)", size[0],
                   size[1]);
        if (found.errors.is_shared()) {
            fmt::print(", alike at stations within {:.3g} of each other", found.errors.length);
        }
        fmt::print("\n");
    }
    print_terms(found);
    print_qualities(found);
    if (found.fields_by_depth) {
        fmt::print("velocity depends on depth alone: times are over distance and depth\n");
    }
}

void write_grids(const LocateFlags& flags, const Medium& medium, const SurveyFile& picks,
                 LocateOptions options, const Run& run) {
    options.box.reset();
    Notes told_already;
    const StationFields fields(medium, picks.picks, options, run.execution(), told_already);
    const std::size_t count = write_nonlinloc_times(*flags.grids, picks.picks, fields,
                                                    picks.plane ? &*picks.plane : nullptr);
    if (!run.common.quiet) spdlog::info("{} time grids written", count);
}

/// A catalogue without a place is no success, and other programs read the status alone.
void require_located(const Catalogue& found) {
    std::map<LocationStatus, std::size_t> counts;
    for (const Hypocentre& event : found.events) ++counts[event.status];
    std::string text;
    for (const auto& [status, count] : counts) {
        if (is_located(status)) return;
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name_of(status));
    }
    throw ComputeError(
        fmt::format("none of {} events is located: {} (warnings without --quiet tell why; "
                    "the files are written)",
                    found.events.size(), text));
}

/// The medium of the flags, with its layers if its file has some.
struct ReadMedium {
    std::optional<LayeredMedium> layers;
    Medium medium;
};

ReadMedium read_medium(const MediumFlags& flags, Notes& notes) {
    if (flags.s_model || !is_layered(flags.model)) return {std::nullopt, medium_of(flags, notes)};
    LayeredMedium layers = read_layered(flags.model, notes);
    if (flags.vp_vs) layers = with_s(layers, *flags.vp_vs);
    Medium merged = layers.merged();
    return {std::move(layers), std::move(merged)};
}

/// Picks to write with the places that were found. Tables of picks hold first arrivals only.
SurveyFile moved_picks(const SurveyFile& picks, const Catalogue& found, Notes& notes) {
    const std::vector<std::int32_t> trusted = trusted_arrivals(picks.picks, found);
    SurveyFile out;
    out.plane = picks.plane;
    std::vector<std::int32_t> kept;
    for (const std::int32_t n : trusted) {
        const auto i = static_cast<std::size_t>(n);
        if (!picks.phases.empty() && !may_come_first(picks.phases[i])) continue;
        kept.push_back(n);
        if (!picks.polarities.empty()) out.polarities.push_back(picks.polarities[i]);
    }
    if (kept.size() < trusted.size()) {
        notes.add(fmt::format("{} picks of later phases are not in --moved-picks",
                              trusted.size() - kept.size()));
    }
    out.picks = compact(with_hypocentres(picks.picks, found), kept);
    return out;
}

void write_outputs(const LocateFlags& flags, const SurveyFile& picks, const Catalogue& found,
                   const std::optional<LocalPlane>& sphere) {
    const Clock clock = picks.has_dates ? Clock::dates : Clock::seconds;
    const LocalPlane* const plane = picks.plane ? &*picks.plane : nullptr;
    const bool on_sphere = sphere.has_value();
    Notes lost;
    write_catalogue(flags.output, picks.picks, found, clock, plane, on_sphere, picks.magnitudes);
    if (flags.fits) {
        write_fits(*flags.fits, picks.picks, found, clock, picks.phases, picks.polarities);
    }
    if (flags.made_terms && found.terms) {
        write_station_terms(*flags.made_terms, picks.picks, *found.terms, plane, on_sphere);
    }
    if (flags.sampled) write_samples(*flags.sampled, picks.picks, found, on_sphere);
    if (flags.moved) {
        const SurveyFile moved = moved_picks(picks, found, lost);
        on_sphere ? write_geographic_picks(*flags.moved, moved)
                  : write_pick_table(*flags.moved, moved, false);
    }
    if (flags.motions) {
        const FirstMotions motions = first_motions_of(picks.picks, picks.polarities, found, plane,
                                                      on_sphere, picks.magnitudes, lost);
        write_first_motions(*flags.motions, flags.motion_format, motions, flags.angle_error, lost);
    }
    if (flags.hyp || flags.exported.file) {
        const PlacedCatalogue placed(picks.picks, found, picks.plane, sphere);
        if (flags.hyp) {
            write_nonlinloc_hyp(*flags.hyp, placed.survey, placed.found,
                                placed.plane ? &*placed.plane : nullptr, picks.phases,
                                picks.polarities);
        }
        write_export(flags.exported, placed.survey, placed.plane, placed.found, picks.magnitudes,
                     lost, picks.polarities, picks.phases);
    }
    tell(lost);
}

void locate_events(const LocateFlags& flags, const Run& run) {
    if (flags.follow) return follow_picks(flags, run);
    usable_device(run.common);
    check_export(flags.exported);
    if (flags.sampled && flags.options.samples == 0) {
        throw InputError("--sampled needs --samples N");
    }
    Notes notes;
    const ReadMedium read = read_medium(flags.medium, notes);
    const Medium& medium = read.medium;
    if (flags.grids && !on_sphere(medium.first())) {
        require_plain(medium.first(), "a time grid");
    }
    const Grid& grid = medium.grid();
    LocateOptions options = settled_options(flags, medium.first());
    PhaseFiles files = flags.files;
    files.on_sphere = on_sphere(medium.first());
    files.later = read.layers.has_value();
    SurveyFile picks = read_phase_picks(files, notes);
    std::optional<LocalPlane> sphere;
    if (files.on_sphere) sphere = leave_plane(picks, flags.grids.has_value(), "--time-grids");
    check_export(flags.exported, sphere ? sphere : picks.plane);
    if (picks.picks.is_2d != grid.is_2d()) {
        throw InputError(
            fmt::format("the model is {}-D and the stations are {}-D (must be the "
                        "same: y is left out in 2-D)",
                        grid.dimensions(), picks.picks.is_2d ? 2 : 3));
    }
    if (flags.motions && picks.polarities.empty()) {
        throw InputError(
            "--first-motions is given and no pick has one (give them in a column polarity: U or "
            "D)");
    }
    settle_terms(flags, picks, sphere.has_value(), options, notes);
    std::optional<Surface> surface;
    if (flags.surface) surface.emplace(read_surface(*flags.surface, notes));
    const Surface* const ground = surface ? &*surface : nullptr;

    const auto start = std::chrono::steady_clock::now();
    const Catalogue found =
        read.layers ? locate_phases(*read.layers, picks.picks, picks.phases, options, ground,
                                    run.execution(), &notes)
                    : locate(medium, picks.picks, options, ground, run.execution(), &notes);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    tell(notes);

    run.monitor.check();
    write_outputs(flags, picks, found, sphere);
    if (flags.grids) write_grids(flags, medium, picks, options, run);
    const bool to_stdout = is_standard_output(flags.hyp) || is_standard_output(flags.output) ||
                           is_standard_output(flags.fits) || is_standard_output(flags.sampled) ||
                           is_standard_output(flags.moved) || is_standard_output(flags.motions) ||
                           is_standard_output(flags.made_terms) ||
                           is_standard_output(flags.exported.file);
    if (!run.common.quiet && !to_stdout)
        summarise(picks.picks, found, !options.model_error, spent.count());
    require_located(found);
}

}  // namespace

void add_locate_command(Program& program) {
    program.add_command<LocateFlags>(
        program.root(), "locate", "Where and when earthquakes were, from picks of P and S",
        "fermat model gradient --shape 41,41,21 --spacing 1 --v0 5 --gradient 0.05 -o crust.h5\n"
        "printf 'station,x,y,z\\nA,5,5,0\\nB,35,6,0\\nC,6,34,0\\nD,33,35,0\\n' > stations.csv\n"
        "printf 'event,station,phase,time\\n1,A,P,4.61\\n1,B,P,3.96\\n1,C,P,4.24\\n1,D,P,3.46\\n"
        "1,A,S,7.98\\n1,D,S,5.99\\n' > phases.csv\n"
        "fermat locate --model crust.h5 --vp-vs 1.73 --stations stations.csv --picks phases.csv "
        "--model-error 0.05 -o catalogue.csv --fits fits.csv",
        &add_flags, &locate_events);
}

}  // namespace fermat::cli
