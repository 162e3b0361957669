#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "cli/commands.hpp"
#include "cli/device_flags.hpp"
#include "cli/eikonal_flags.hpp"
#include "cli/flags.hpp"
#include "cli/inversion_run.hpp"
#include "cli/known_flags.hpp"
#include "cli/layers_run.hpp"
#include "cli/option_flags.hpp"
#include "cli/survey.hpp"
#include "cli/tell.hpp"
#include "cli/trust_run.hpp"
#include "cli/unit_flags.hpp"
#include "core/error.hpp"
#include "io/difference_io.hpp"
#include "io/geometry.hpp"
#include "io/guess_units.hpp"
#include "io/joint_io.hpp"
#include "io/model_io.hpp"
#include "io/run_io.hpp"
#include "io/survey_file.hpp"
#include "model/makers.hpp"
#include "survey/mapped_points.hpp"
#include "tomography/invert.hpp"
#include "tomography/joint/invert_joint.hpp"
#include "tomography/run_fingerprint.hpp"
#include "tomography/start/set_up.hpp"
#include "tomography/synthetic.hpp"

namespace fermat::cli {
namespace {

namespace fs = std::filesystem;

struct Board {
    AxisNumbers size;
    double amplitude = 0;
};

struct InvertFlags {
    std::optional<fs::path> model;
    fs::path picks;
    GuessOptions guess;
    std::optional<PickErrors> errors;
    AxisFlags axes;
    std::optional<fs::path> reference;
    KnownFlags ground;
    std::optional<fs::path> s_model;
    std::optional<fs::path> known;
    std::vector<std::string> differences;
    std::optional<fs::path> schedule;
    fs::path output;
    RunStart start;
    IterationChoice kept;
    InversionOptions options;
    std::optional<Board> board;
    NoiseOptions noise;
    TrustFlags trust;
    CatalogueExport exported;
    UnitNames units;
    LayerFlags layers;
};

Board parse_board(std::string_view flag, std::string_view text) {
    const std::size_t comma = text.rfind(',');
    if (comma == std::string_view::npos) {
        throw InputError(flag_message(flag, text, "must be size,amplitude or x,y,z,amplitude"));
    }
    return {parse_lengths(flag, text.substr(0, comma)), parse_real(flag, text.substr(comma + 1))};
}

PickErrors parse_errors(std::string_view flag, std::string_view text) {
    const AxisNumbers numbers = parse_axes(flag, text);
    const bool good =
        numbers.numbers.size() <= 2 && std::all_of(numbers.numbers.begin(), numbers.numbers.end(),
                                                   [](double part) { return part >= 0; });
    if (!good)
        throw InputError(
            flag_message(flag, text, "must be a time, or a time and a part of the time"));
    return {numbers.numbers[0], numbers.numbers.size() == 2 ? numbers.numbers[1] : 0};
}

void add_guess_flags(CLI::App& app, InvertFlags& flags) {
    add_option_flags(app, flags.guess, flags.axes);
    add_value(app, "--error", "ABS[,REL]", flags.errors,
              "error of the picks, absolute and as a part of their time, in place of the file's",
              parse_errors);
}

void add_flags(CLI::App& app, InvertFlags& flags) {
    add_path(app, "--model", flags.model,
             "velocity model to start from, or a layered medium where picks are of later phases "
             "(default: a grid and a gradient, or layers, from the picks)");
    add_path(app, "--picks,picks", flags.picks,
             "picks: CSV with columns source_x,source_y,source_z,receiver_x,receiver_y,receiver_z,"
             "time[,error][,phase] (no y in 2-D), .sgt, rayinvr's tx.in, or others")
        ->required();
    add_path(
        app, "--schedule", flags.schedule,
        "CSV with columns iterations,cell_x,cell_y,cell_z,vertex_x,vertex_y,vertex_z"
        "[,cell_passes,vertex_passes] (no y in 2-D), one row per stage (default: six stages of "
        "6 iterations, from half the model down to twice the points' distance)");
    add_output_folder(
        app, "-o,--output", flags.output,
        "folder to write model.h5, coverage.h5, residuals.csv, history.csv, checkpoint.h5, "
        "settings.toml into, trust.h5 where it is asked for, and events.csv, differences.csv, "
        "s_model.h5, vp_vs.h5 where events move or picks are of P and S")
        ->required();
    app.add_flag("--resume", flags.start.resume,
                 "go on from the folder's checkpoint, if there is one");
    app.add_flag("--overwrite", flags.start.overwrite,
                 "remove an earlier run from the folder (default: keep it in its earlier-1, ...)");
    add_value(app, "--keep", "ITERATIONS", flags.kept,
              "iterations whose model, rays, coverage and perturbations to keep as files in the "
              "folder's iterations: all, or numbers and ranges such as 0,5,10-12",
              parse_iterations);
    add_guess_flags(app, flags);
    add_option_flags(app, flags.options, flags.axes);
    add_path(app, "--reference", flags.reference,
             "of gauss-newton: model that smoothing and damping hold on to (default: the start "
             "model)");
    add_known_flags(app, flags.ground);
    add_path(app, "--s-model", flags.s_model,
             "S velocities to start from, where picks are of P and S (in place of --vp-vs)");
    add_path(app, "--known", flags.known,
             "of --relocate: CSV with columns event,known of events whose place, time or both are "
             "kept, such as quarry blasts");
    mark_file(add_repeated(app, "--differences", "FILE", flags.differences,
                           "of --relocate: dt.ct or dt.cc of hypoDD, whose differences of times "
                           "count beside the picks (double-difference tomography); once per file"),
              FileRole::input);
    add_value(app, "--checkerboard", "SIZE,A", flags.board,
              "resolution test: invert synthetic picks of the model with boxes of SIZE (or X,Y,Z) "
              "and relative amplitude A on it",
              parse_board);
    add_real(app, "--noise", flags.noise.deviation,
             "of --checkerboard: standard deviation of noise on its picks (default: 0)");
    add_unit_flags(app, flags.units, "the file's, or by the velocities");
    add_layer_flags(app, flags.layers, flags.axes);
    add_trust_flags(app, flags.trust);
    add_catalogue_export(app, flags.exported);
    add_value(app, "--seed", "N", flags.noise.seed, "of --noise, --solves, --ensemble and --choose",
              parse_seed)
        ->default_str("1");
}

/// The board, and its picks in place of the real ones.
std::pair<Model, Survey> put_on_board(const InvertFlags& flags, const Run& run, const Model& start,
                                      const Survey& picks, const EikonalOptions& eikonal) {
    const Vec3 size = to_axes(flags.board->size, start.grid().is_2d(), 1);
    Model board = checkerboard_model(start, {size, flags.board->amplitude});
    SyntheticPicks made = synthetic_picks(board, picks, flags.noise, eikonal, run.execution());
    tell(made.notes);
    return {std::move(board), std::move(made.picks)};
}

void read_joint_inputs(const InvertFlags& flags, Survey& picks, InversionOptions& options,
                       Notes& notes) {
    if (flags.known) read_known_events(*flags.known, picks, notes);
    for (const std::string& path : flags.differences) {
        const auto more = read_hypodd_differences(path, picks, notes);
        picks.differences.insert(picks.differences.end(), more.begin(), more.end());
    }
    if (flags.board && !flags.differences.empty()) {
        throw InputError(
            "--checkerboard makes picks and --differences gives measured times (leave one out)");
    }
    if (!is_joint(picks, options)) return;
    prepare_joint(options, flags.trust, flags.noise.seed);
    if (flags.board && phases_of(picks).size() > 1) {
        throw InputError(
            "--checkerboard is of one velocity and the picks are of P and S (leave out "
            "one of the phases)");
    }
}

InversionInputs read_inputs(const InvertFlags& flags, const Run& run) {
    check_export(flags.exported);
    if (flags.exported.file && flags.options.joint.relocate == Relocate::none) {
        throw InputError("--export needs --relocate (without it no event is found)");
    }
    if (!flags.board && flags.noise.deviation != 0) {
        throw InputError("--noise needs --checkerboard (fermat picks makes other noisy picks)");
    }
    if (!flags.model && flags.board) {
        throw InputError("--checkerboard needs --model (the board is put on it)");
    }
    if (!flags.model && flags.s_model) {
        throw InputError("--s-model needs --model (S velocities stand on the grid of P)");
    }
    std::optional<Model> start;
    Notes notes;
    if (flags.model) start.emplace(read_model(*flags.model, notes));
    SurveyFile file = start ? read_model_survey(*start, flags.picks, notes)
                            : read_pick_survey(flags.picks, {}, notes);
    Survey picks = std::move(file.picks);
    if (start) {
        fit_to_model(*start, picks, flags.picks, AirPoints::refused);
    }
    std::optional<Medium> medium(start);
    if (flags.s_model) medium.emplace(*start, read_model(*flags.s_model, notes));
    InversionOptions options = flags.options;
    if (flags.schedule) options.schedule = read_schedule(*flags.schedule, notes);
    prepare(options, flags.trust);
    read_joint_inputs(flags, picks, options, notes);
    usable_device(run.common);
    named_devices(flags.trust.devices, run.common);  // throws before the run, not after it
    const bool is_2d = start ? start->grid().is_2d() : picks.is_2d;
    settle_axes(options, flags.axes, is_2d);
    if (flags.reference) {
        options.gauss_newton.reference =
            std::make_shared<const Model>(read_model(*flags.reference, notes));
    }
    options.gauss_newton.known = read_known(flags.ground, notes);
    tell(notes);
    std::optional<std::pair<Model, Survey>> board;
    if (flags.board) {
        board = put_on_board(flags, run, *start, picks, options.eikonal);
        picks = board->second;
    }
    InversionSetup setup = set_up_inversion(std::move(medium), std::move(picks), options,
                                            flags.guess, flags.errors, run.execution());
    InversionInputs inputs{std::move(setup.start), std::move(setup.picks),
                           std::move(setup.options)};
    inputs.plane = file.plane;
    inputs.projection = file.projection;
    if (!board && file.polarities.size() == inputs.picks.arrivals.size()) {
        inputs.polarities = std::move(file.polarities);
    }
    inputs.exported = flags.exported;
    if (flags.exported.file && on_sphere(inputs.start.first())) {
        throw InputError("--export is for models of x, y, z (leave it out)");
    }
    check_export(flags.exported, inputs.plane);
    inputs.guessed_start = setup.guessed_start;
    inputs.choices = std::move(setup.choices);
    NamedUnits named = guess_units(known_units(first_of(flags.units, file.units), file.plane),
                                   inputs.start.first());
    inputs.units = std::move(named.units);
    if (!named.reason.empty()) inputs.choices.push_back(std::move(named.reason));
    inputs.warnings = std::move(setup.warnings);
    if (board) inputs.board = std::move(board->first);
    return inputs;
}

/// Throws InputError for flags that runs of later phases do not have.
void refuse_of_layers(const InvertFlags& flags) {
    const auto refuse = [&](bool given, std::string_view flag) {
        if (!given) return;
        if (flags.layers.count != 0) {
            throw InputError(fmt::format(
                "{} is given and --layers {} too (it is for velocities on a grid: leave "
                "one of them out)",
                flag, flags.layers.count));
        }
        throw InputError(
            fmt::format("{} is given and the picks are of later phases (it is for first arrivals: "
                        "leave it out, "
                        "or give --phases first)",
                        flag));
    };
    refuse(flags.board.has_value(), "--checkerboard");
    refuse(flags.schedule.has_value(), "--schedule");
    refuse(flags.reference.has_value(), "--reference");
    refuse(flags.ground.log.has_value(), "--log");
    refuse(flags.ground.regions.has_value(), "--regions");
    refuse(flags.ground.interfaces.has_value(), "--edges");
    refuse(flags.ground.guide.has_value(), "--guide");
    refuse(flags.ground.prior.has_value(), "--prior-model");
    refuse(flags.s_model.has_value(), "--s-model");
    refuse(flags.options.joint.start_places != StartPlaces::automatic, "--start-places");
    refuse(!flags.differences.empty(), "--differences");
    refuse(!flags.kept.empty(), "--keep");
    refuse(flags.noise.deviation != 0, "--noise");
    refuse(flags.trust.trust.resolution, "--resolution");
    refuse(flags.trust.trust.deviation, "--deviation");
    refuse(!flags.trust.points.empty(), "--point-spread");
    refuse(flags.trust.ensemble_given, "--ensemble");
    refuse(flags.trust.chosen != Chosen::nothing, "--choose");
    refuse(flags.known && flags.options.joint.relocate == Relocate::none,
           "--known without --relocate");
    check_export(flags.exported);
    if (flags.exported.file && flags.options.joint.relocate == Relocate::none) {
        throw InputError("--export needs --relocate (without it no event is found)");
    }
}

/// Runs picks of later phases. False where the picks are not.
bool invert_later(const InvertFlags& flags, RunFolder& folder, const Run& run) {
    std::optional<LayerInputs> inputs;
    together(run.ranks, [&] {
        folder.check_inputs(run.inputs, false);
        const LayerCall call{flags.model, flags.picks,   flags.known,  flags.layers,
                             flags.axes,  flags.guess,   flags.errors, flags.options,
                             flags.units, flags.exported};
        std::optional<SurveyFile> file = later_picks(call);
        if (!file) return;
        refuse_of_layers(flags);
        inputs.emplace(read_layer_inputs(call, std::move(*file), run));
    });
    if (!inputs) return false;
    run_layer_inversion(*inputs, folder, flags.start, run);
    return true;
}

/// Throws InputError for flags of layers in a run that has none.
void refuse_layers(const InvertFlags& flags) {
    if (flags.layers.deviations.empty() && flags.layers.depth_data.empty()) return;
    throw InputError(fmt::format(
        "{} is given and the picks are first arrivals alone (it is of layers: name the phases of "
        "the picks)",
        flags.layers.deviations.empty() ? "--depth-data" : "--deviation-of"));
}

void run_invert(const InvertFlags& flags, const Run& run) {
    RunFolder folder(flags.output);
    if (invert_later(flags, folder, run)) return;
    refuse_layers(flags);
    std::optional<InversionInputs> inputs;
    together(run.ranks, [&] {
        folder.check_inputs(run.inputs, flags.board.has_value());
        inputs.emplace(read_inputs(flags, run));
    });
    const Choice choice = choose_options(*inputs, flags.trust, flags.noise.seed, run);
    // Before anything is written.
    require_same_run(run.ranks, inputs->start, inputs->picks, inputs->options);
    const InversionResult result = [&] {
        const bool shared = inputs->options.method == InversionMethod::adjoint;
        const auto devices =
            named_devices(shared ? flags.trust.devices : std::vector<int>(), run.common);
        return run_inversion(*inputs, folder, flags.start, flags.kept, run);
    }();
    run_trust(*inputs, result, choice, flags.trust, flags.noise.seed, folder, run);
}

}  // namespace

void add_invert_command(Program& program) {
    program.add_command<InvertFlags>(
        program.root(), "invert", "Traveltime tomography: from picks to a model",
        "fermat model gradient --shape 65,25 --spacing 0.1 --v0 2 --gradient 0.5 -o start.h5\n"
        "fermat model checkerboard --base start.h5 --size 1.6,1.2 --amplitude 0.05 -o true.h5\n"
        "printf 'x,z\\n0.2,0\\n1.6,0\\n3.2,0\\n4.8,0\\n6.2,0\\n' > s.csv\n"
        "(echo x,z; for x in 0 1 2 3 4 5 6; do echo $x.1,0; echo $x.3,0; done) > r.csv\n"
        "fermat picks --model true.h5 --sources s.csv --receivers r.csv --noise 0.01 -o "
        "picks.csv\n"
        "fermat invert picks.csv -o run",
        &add_flags, &run_invert, RankUse::all);
}

}  // namespace fermat::cli
