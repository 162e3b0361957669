#include <fmt/format.h>

#include <optional>
#include <string>

#include "cli/commands.hpp"
#include "cli/eikonal_flags.hpp"
#include "cli/flags.hpp"
#include "cli/inversion_run.hpp"
#include "cli/survey.hpp"
#include "cli/tell.hpp"
#include "core/error.hpp"
#include "io/geometry.hpp"
#include "io/model_io.hpp"
#include "io/run_io.hpp"
#include "model/makers.hpp"
#include "tomography/invert.hpp"
#include "tomography/synthetic.hpp"

namespace fermat::cli {
namespace {

namespace fs = std::filesystem;

struct Board {
    AxisNumbers size;
    double amplitude = 0;
};

struct InvertFlags {
    fs::path model;
    fs::path picks;
    std::optional<fs::path> schedule;
    fs::path output;
    bool resume = false;
    InversionOptions options;
    std::optional<Board> board;
    NoiseOptions noise;
};

Board parse_board(std::string_view flag, std::string_view text) {
    const std::size_t comma = text.rfind(',');
    if (comma == std::string_view::npos) {
        throw InputError(flag_message(flag, text, "must be size,amplitude or x,y,z,amplitude"));
    }
    return {parse_lengths(flag, text.substr(0, comma)), parse_real(flag, text.substr(comma + 1))};
}

void add_update_flags(CLI::App& app, UpdateLimits& update) {
    add_real(app, "--step", update.step, "factor on every update (default: 1)");
    add_real(app, "--max-update", update.max_change,
             "largest relative change of velocity in one iteration (default: 0.5)");
    add_real(app, "--min-velocity", update.min_velocity, "least velocity (default: none)");
    add_real(app, "--max-velocity", update.max_velocity, "largest velocity (default: none)");
}

void add_flags(CLI::App& app, InvertFlags& flags) {
    add_path(app, "--model", flags.model, "velocity model to start from")->required();
    add_path(app, "--picks", flags.picks,
             "picks: CSV with columns source_x,source_y,source_z,receiver_x,receiver_y,receiver_z,"
             "time[,error] (no y in 2-D), or .sgt")
        ->required();
    add_path(app, "--schedule", flags.schedule,
             "CSV with columns iterations,cell_x,cell_y,cell_z,vertex_x,vertex_y,vertex_z"
             "[,cell_passes,vertex_passes] (no y in 2-D), one row a stage (default: six stages of "
             "6 iterations, from half the model down to 2 cells)");
    add_path(app, "-o,--output", flags.output,
             "folder to write model.h5, coverage.h5, residuals.csv, history.csv, checkpoint.h5, "
             "settings.toml into")
        ->required()
        ->type_name("FOLDER");
    app.add_flag("--resume", flags.resume, "go on from the folder's checkpoint, if there is one");
    InversionOptions& options = flags.options;
    add_real(app, "--target-rms", options.target_rms, "stop once the RMS residual is as small");
    add_real(app, "--target-chi2", options.target_chi2,
             "stop once the mean of (residual / error)^2 is as small");
    add_real(app, "--stagnation", options.stagnation,
             "end a stage whose RMS falls by less than this fraction (default: never)");
    add_real(app, "--outliers", options.outliers,
             "leave out residuals beyond so many standard deviations (default: none)");
    add_choice(app, "--weights", options.weights, "how picks count");
    add_choice(app, "--share", options.share, "how a ray counts in the cells it crosses");
    add_update_flags(app, options.update);
    add_choice(app, "--smoother", options.smoother, "method of the smoothing");
    add_choice(app, "--tracer", options.tracer, "method of the rays");
    add_eikonal_flags(app, options.eikonal);
    add_value(app, "--checkerboard", "SIZE,A", flags.board,
              "resolution test: invert synthetic picks of the model with boxes of SIZE (or X,Y,Z) "
              "and relative amplitude A on it",
              parse_board);
    add_real(app, "--noise", flags.noise.deviation,
             "of --checkerboard: standard deviation of noise on its picks (default: 0)");
    add_value(app, "--seed", "N", flags.noise.seed, "of --noise", parse_seed)->default_str("1");
}

std::vector<Vec3> fitted(const Model& model, const Picks& picks, const fs::path& file,
                         PointRole role) {
    PointList list;
    list.positions = role == PointRole::source ? picks.sources : picks.receivers;
    list.is_2d = picks.is_2d;
    return fit_to_model(model, std::move(list), file, role, AirPoints::refused).positions;
}

InversionInputs read_inputs(const InvertFlags& flags, const Run& run) {
    if (!flags.board && flags.noise.deviation != 0) {
        throw InputError("--noise needs --checkerboard (fermat picks makes other noisy picks)");
    }
    Notes notes;
    InversionInputs inputs{read_model(flags.model, notes), read_picks(flags.picks, notes),
                           flags.options};
    inputs.picks.sources = fitted(inputs.start, inputs.picks, flags.picks, PointRole::source);
    inputs.picks.receivers = fitted(inputs.start, inputs.picks, flags.picks, PointRole::receiver);
    if (flags.schedule) inputs.options.schedule = read_schedule(*flags.schedule, notes);
    tell(notes);
    inputs.options.eikonal.threads = run.common.threads;
    inputs.options.eikonal.device = usable_device(run.common);
    return inputs;
}

/// The board, and its picks in place of the real ones.
Model put_on_board(const InvertFlags& flags, const Run& run, InversionInputs& inputs) {
    const Vec3 size = to_axes(flags.board->size, inputs.start.grid().is_2d(), 1);
    Model board = checkerboard_model(inputs.start, {size, flags.board->amplitude});
    inputs.picks =
        synthetic_picks(board, inputs.picks, flags.noise, inputs.options.eikonal, run.monitor)
            .picks;
    return board;
}

void run_invert(const InvertFlags& flags, const Run& run) {
    const RunFolder folder(flags.output);
    std::optional<InversionInputs> inputs;
    std::optional<Model> board;
    together(run.ranks, [&] {
        inputs.emplace(read_inputs(flags, run));
        if (!flags.board) return;
        board.emplace(put_on_board(flags, run, *inputs));
        if (!run.ranks.is_root()) return;
        folder.create();
        write_model(folder.file("board.h5"), *board);
        write_picks(folder.file("picks.csv"), inputs->picks);
    });
    const InversionResult found = run_inversion(*inputs, folder, flags.resume, run);
    if (!board) return;
    together(run.ranks, [&] {
        if (!run.ranks.is_root()) return;
        write_recovery(folder, inputs->start, *board, found, run.common.quiet);
    });
}

}  // namespace

void add_invert_command(Program& program) {
    program.add_command<InvertFlags>(
        program.root(), "invert", "Traveltime tomography: from picks and a start model to a model",
        "fermat model gradient --shape 65,25 --spacing 0.1 --v0 2 --gradient 0.5 -o start.h5\n"
        "fermat model checkerboard --base start.h5 --size 1.6,1.2 --amplitude 0.05 -o true.h5\n"
        "printf 'x,z\\n0.2,0\\n1.6,0\\n3.2,0\\n4.8,0\\n6.2,0\\n' > s.csv\n"
        "(echo x,z; for x in 0 1 2 3 4 5 6; do echo $x.1,0; echo $x.3,0; done) > r.csv\n"
        "fermat picks --model true.h5 --sources s.csv --receivers r.csv --noise 0.002 -o "
        "picks.csv\n"
        "fermat invert --model start.h5 --picks picks.csv --target-rms 0.002 -o run",
        &add_flags, &run_invert, RankUse::all);
}

}  // namespace fermat::cli
