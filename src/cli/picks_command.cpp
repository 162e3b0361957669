#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "cli/commands.hpp"
#include "cli/device_flags.hpp"
#include "cli/eikonal_flags.hpp"
#include "cli/flags.hpp"
#include "cli/medium_flags.hpp"
#include "cli/option_flags.hpp"
#include "cli/outputs.hpp"
#include "cli/picks_convert.hpp"
#include "cli/ray_survey.hpp"
#include "cli/survey.hpp"
#include "cli/tell.hpp"
#include "core/error.hpp"
#include "io/geometry.hpp"
#include "io/suffix.hpp"
#include "tomography/synthetic.hpp"

namespace fermat::cli {
namespace {

struct PicksFlags {
    MediumFlags medium;
    RaySurveyFlags survey;
    EikonalOptions eikonal;
    std::vector<int> devices;
    AxisFlags axes;
    NoiseOptions noise;
    std::filesystem::path output;
    PicksConvertFlags convert;
};

void add_flags(CLI::App& app, PicksFlags& flags) {
    add_medium_flags(app, flags.medium);
    app.get_option("--model")->required(false);
    add_picks_convert(app, flags.convert);
    add_ray_survey_flags(app, flags.survey, "picks, CSV or .sgt, whose pairs are to be computed");
    add_real(app, "--noise", flags.noise.deviation,
             "standard deviation of Gaussian noise; also the column error (default: 0, no column)");
    add_value(app, "--seed", "N", flags.noise.seed, "of the noise", parse_seed)->default_str("1");
    add_option_flags(app, flags.eikonal, flags.axes);
    add_device_flags(app, flags.devices);
    add_text_output(app, "-o,--output", flags.output,
                    "picks to write: .csv, or - for standard output (needed)");
}

void make_picks(const PicksFlags& flags, const Run& run) {
    if (flags.convert.called) {
        convert_picks(flags.convert, run);
        return;
    }
    // A command below this one does not need its flags, so that CLI11 cannot require them.
    if (flags.medium.model.empty()) {
        throw InputError("--model is required (see fermat picks --help)");
    }
    if (flags.output.empty()) throw InputError("--output is required (see fermat picks --help)");
    usable_device(run.common);
    const auto devices = named_devices(flags.devices, run.common);
    const bool to_stdout = is_standard_output(flags.output);
    if (!to_stdout && input_suffix_of(flags.output) != ".csv") {
        throw InputError(flag_message("--output", flags.output.string(), "must end in .csv"));
    }
    validate(flags.noise);
    Notes notes;
    const Medium medium = medium_of(flags.medium, notes);
    const Survey survey = read_ray_survey(medium.first(), flags.survey, notes);
    tell(notes);
    const SyntheticPicks made =
        synthetic_picks(medium, without_times(survey), flags.noise, flags.eikonal, run.execution());
    tell(made.notes);
    if (made.picks.arrivals.empty()) {
        throw InputError(fmt::format(
            "none of the {} pairs has a time (air lies at or between them)", made.unreached));
    }
    write_model_picks(medium.first(), flags.output, made.picks);
    if (made.unreached > 0) {
        spdlog::warn("{} pairs without a time were left out (air lies at or between them)",
                     made.unreached);
    }
    if (!run.common.quiet && !to_stdout) {
        fmt::print("{} picks of {} sources and {} receivers\n", made.picks.arrivals.size(),
                   made.picks.events.size(), made.picks.stations.size());
    }
}

}  // namespace

void add_picks_command(Program& program) {
    program.add_command<PicksFlags>(
        program.root(), "picks", "Synthetic first-arrival picks of a model, with noise",
        "fermat model gradient --shape 65,33 --spacing 0.1 --v0 2 --gradient 0.5 -o model.h5\n"
        "printf 'x,z\\n0.5,0\\n3,0\\n6,0\\n' > sources.csv\n"
        "printf 'x,z\\n1,0\\n2,0\\n4,0\\n5,0\\n' > receivers.csv\n"
        "fermat picks --model model.h5 --sources sources.csv --receivers receivers.csv "
        "--noise 0.01 --seed 1 -o picks.csv",
        &add_flags, &make_picks);
}

}  // namespace fermat::cli
