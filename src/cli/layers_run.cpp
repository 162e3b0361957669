#include "cli/layers_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cli/run_lines.hpp"
#include "cli/run_settings.hpp"
#include "cli/survey.hpp"
#include "cli/tell.hpp"
#include "cli/unit_flags.hpp"
#include "core/error.hpp"
#include "io/checkpoint.hpp"
#include "io/geographic_picks.hpp"
#include "io/guess_units.hpp"
#include "io/joint_io.hpp"
#include "io/layer_run_io.hpp"
#include "io/layered_io.hpp"
#include "io/run_io.hpp"
#include "survey/mapped_points.hpp"
#include "tomography/layers/first_layers.hpp"
#include "tomography/layers/layer_coverage.hpp"
#include "tomography/layers/layer_unknowns.hpp"
#include "tomography/layers/refraction_layers.hpp"
#include "tomography/start/pick_checks.hpp"

namespace fermat::cli {
namespace {

namespace fs = std::filesystem;

/// Whether a name is of a first arrival, as catalogues write them.
bool is_first_arrival(const std::string& name) {
    try {
        phase_of_name(name);
        return true;
    } catch (const InputError&) {
        return false;
    }
}

/// Whether a name may be that of a later phase: two waves, a number, or a description.
bool may_be_later(const std::string& name) {
    if (name.empty() || std::string_view("PpSs").find(name.front()) == std::string_view::npos) {
        return false;
    }
    const auto waves = std::count_if(name.begin(), name.end(), [](char c) {
        return c == 'P' || c == 'S' || c == 'p' || c == 's';
    });
    const bool number = name.size() > 1 && name.back() >= '0' && name.back() <= '9';
    return !is_first_arrival(name) && (waves > 1 || number);
}

bool is_layered_model(const std::optional<fs::path>& model) {
    try {
        return model && is_layered(*model);
    } catch (const InputError&) {
        return false;  // which reading it will tell
    }
}

std::vector<std::string> distinct(std::vector<std::string> names) {
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

bool uses_s(const PhasePicks& picks) {
    return std::any_of(picks.phases.begin(), picks.phases.end(), [](const std::string& name) {
        return name.find_first_of("Ss") != std::string::npos;
    });
}

void give_errors(Survey& picks, const std::optional<PickErrors>& errors) {
    if (errors) {
        for (Arrival& pick : picks.arrivals) {
            pick.error = errors->absolute +
                         errors->relative * (pick.time - picks.event_of(pick).origin_time);
        }
        picks.has_errors = true;
    }
    if (picks.has_errors) return;
    throw InputError(
        "the picks have no errors (what layers are to explain is weighed by them: give --error)");
}

LayeredMedium read_start(const LayerCall& call, bool with_waves_of_s, Notes& notes) {
    LayeredReadOptions options = call.layers.reading.options(std::nullopt);
    if (call.guess.spacing > 0) {
        options.spacing = Vec3{call.guess.spacing, call.guess.spacing, call.guess.spacing};
    }
    LayeredMedium medium = read_layered(*call.model, notes, options);
    if (!with_waves_of_s || medium.has_s()) return medium;
    if (!(call.options.joint.vp_vs > 0)) {
        throw InputError(
            fmt::format("picks are of S and '{}' has P alone (give --vp-vs, or a medium with S)",
                        call.model->string()));
    }
    return with_s(medium, call.options.joint.vp_vs);
}

std::string list_of(const PhaseNames& names) {
    std::string out;
    for (const auto& [code, name] : names) {
        out += fmt::format("{}{}={}", out.empty() ? "" : ",", code, name);
    }
    return out;
}

/// What tomo2d's codes stand for, as far as there are picks of them: a wave that turns, and a
/// reflection from its one reflector, or from the lowest interface of another's medium.
PhaseNames tomo2d_names(const PhasePicks& picks, const std::optional<LayeredMedium>& medium) {
    std::string reflected = "PmP";
    if (medium) {
        int at = medium->layer_count() - 1;
        for (int k = 1; k < medium->layer_count(); ++k) {
            if (medium->top_of(k).id() == "reflector") at = k;
        }
        reflected = fmt::format("P{}P", at);
    }
    PhaseNames out;
    for (const std::string& code : picks.phases) {
        if (code == "0" || code == "1") out.emplace_back(code, code == "0" ? "P" : reflected);
    }
    return out;
}

/// How many picks each phase has, and how many of them have no ray: "Pg 213, PmP 90 (3 absent)".
std::string counts_of(const PhasePicks& picks, const std::vector<std::string>& statuses) {
    std::string out;
    for (std::size_t k = 0; k < picks.phases.size(); ++k) {
        std::vector<std::pair<std::string, std::size_t>> lost;
        const auto numbers = picks_of(picks, k);
        for (const std::size_t n : numbers) {
            if (statuses.empty() || has_arrived(parse_choice<BranchStatus>(statuses[n]))) continue;
            const auto found = std::find_if(lost.begin(), lost.end(), [&](const auto& one) {
                return one.first == statuses[n];
            });
            if (found == lost.end()) {
                lost.emplace_back(statuses[n], 1);
            } else {
                ++found->second;
            }
        }
        out += fmt::format("{}{} {}", out.empty() ? "" : ", ", picks.phases[k], numbers.size());
        for (std::size_t i = 0; i < lost.size(); ++i) {
            out += fmt::format("{}{} {}{}", i == 0 ? " (" : ", ", lost[i].second, lost[i].first,
                               i + 1 == lost.size() ? ")" : "");
        }
    }
    return out;
}

std::vector<std::string> names_of_picks(const PhasePicks& picks) {
    std::vector<std::string> out;
    for (std::size_t n = 0; n < picks.phase_of.size(); ++n) out.push_back(picks.name_of(n));
    return out;
}

/// "moho: depths 28.1 to 33.4, deviation 0.31 (median); its errors go with those of the velocity
/// above by 0.62 (median correlation)".
std::string line_of(const LayerDeviation& one) {
    std::vector<double> sorted = one.deviation;
    std::sort(sorted.begin(), sorted.end());
    const double middle = sorted[sorted.size() / 2];
    if (!one.is_depth) {
        const auto [low, high] = std::minmax_element(one.change.begin(), one.change.end());
        return fmt::format("{}: changed by {:.2g} to {:.2g} %, deviation {:.2g} % (median)", one.of,
                           100 * *low, 100 * *high, 100 * middle);
    }
    const auto by_depth = [](const Vec3& a, const Vec3& b) { return a.z < b.z; };
    const auto [low, high] = std::minmax_element(one.points.begin(), one.points.end(), by_depth);
    std::vector<double> trade_off;
    for (const double r : one.trade_off) {
        if (!std::isnan(r)) trade_off.push_back(r);
    }
    std::sort(trade_off.begin(), trade_off.end());
    const auto with_velocity =
        trade_off.empty() ? std::string()
                          : fmt::format(
                                "; its errors go with those of the velocity above by {:.2f} "
                                "(median correlation)",
                                trade_off[trade_off.size() / 2]);
    return fmt::format("{}: depths {:.4g} to {:.4g}, deviation {:.2g} (median){}", one.of, low->z,
                       high->z, middle, with_velocity);
}

/// The trace of the resolution is how many numbers the picks tell. Where the prior is right, these
/// take as many of the picks' squared errors away.
std::string line_of_fit(const LayerInversion& found) {
    double told = 0;
    for (const LayerDeviation& one : found.deviations) {
        for (const double r : one.resolution) told += r;
    }
    const auto used = std::count_if(
        found.statuses.begin(), found.statuses.end(),
        [](const std::string& status) { return has_arrived(parse_choice<BranchStatus>(status)); });
    const auto picks = static_cast<double>(used);
    return fmt::format(
        "{} picks tell {:.0f} numbers of the medium: if they are as wrong as their errors say, "
        "chi2 ends near {:.2f}",
        used, told, std::max(0.0, 1 - told / picks));
}

std::string line_of_depths(const LayerInputs& inputs, const LayerInversion& found) {
    double sum = 0;
    for (std::size_t n = 0; n < found.depth_residual.size(); ++n) {
        const double z = found.depth_residual[n] / inputs.options.prior.depths[n].error;
        sum += z * z;
    }
    const auto count = static_cast<double>(found.depth_residual.size());
    return fmt::format("{} measured depths: {:.2g} of their errors off (RMS)",
                       found.depth_residual.size(), std::sqrt(sum / count));
}

void write_results(const LayerInputs& inputs, const LayerInversion& found, const RunFolder& folder,
                   const std::string& identity, const Run& run) {
    const Survey& survey = inputs.picks.survey;
    const InversionResult& result = found.run;
    const std::vector<std::string> names = names_of_picks(inputs.picks);
    write_coverage(folder.file("coverage.h5"), inputs.start.grid(),
                   layer_coverage(found, inputs.picks, inputs.options, run.execution().alone()),
                   identity);
    write_residuals(folder.file("residuals.csv"), survey, result, identity,
                    {names, found.statuses});
    write_history(folder.file("history.csv"), result.history, identity);
    write_layer_changes(folder.file("layers.csv"), found, inputs.start.grid().is_2d(), identity);
    write_events(folder.file("events.csv"), survey, result, identity, inputs.plane);
    SurveyFile moved{{}, survey, inputs.plane, inputs.projection};
    moved.phases = names;
    write_moved_picks(folder.file("moved_picks.csv"), std::move(moved), result, identity);
    write_layered(folder.file("model.h5"), found.medium, identity);
    say(run, ending_of(result));
    say(run, "picks: " + counts_of(inputs.picks, found.statuses));
    for (const LayerDeviation& one : found.deviations) say(run, line_of(one));
    // Places of events take more of the picks.
    if (!found.deviations.empty() && result.events.empty()) say(run, line_of_fit(found));
    if (!found.depth_residual.empty()) say(run, line_of_depths(inputs, found));
    if (!result.events.empty()) say(run, relocation_of(result));
}

/// First arrivals of a line that is to be explained by layers.
SurveyFile line_file(const LayerCall& call) {
    const auto refuse = [&](bool given, std::string_view flag) {
        if (!given) return;
        throw InputError(fmt::format(
            "{} is given and --layers {} too (the latter is for first arrivals alone, from layers "
            "of its own: leave one of them out)",
            flag, call.layers.count));
    };
    refuse(call.model.has_value(), "--model");
    refuse(!call.layers.phases.empty(), "--phases");
    Notes notes;
    SurveyFile file = read_pick_survey(call.picks, {}, notes);
    tell(notes);
    if (phases_of(file.picks) != std::vector<Phase>{Phase::P}) {
        throw InputError("--layers is given and the picks are of P and S (give those of one wave)");
    }
    file.phases.assign(file.picks.arrivals.size(), "P");
    return file;
}

/// What picks of a line say about themselves.
void note_doubts(const Survey& picks, Notes& notes) {
    Survey from_origin = picks;
    for (Arrival& pick : from_origin.arrivals) pick.time -= picks.event_of(pick).origin_time;
    for (Event& event : from_origin.events) event.origin_time = 0;
    for (const std::string& doubt : doubts_before(from_origin, survey_shape(from_origin))) {
        notes.add(doubt);
    }
}

/// What is known of interfaces of which nobody said it.
void add_unsaid(std::vector<BlockPrior>& known, LayerPrior& prior) {
    std::erase_if(known, [&](const BlockPrior& block) {
        return std::any_of(prior.blocks.begin(), prior.blocks.end(),
                           [&](const BlockPrior& one) { return one.of == block.of; });
    });
    for (BlockPrior& block : known) {
        if (prior.interface_length > 0) block.length = prior.interface_length;
        prior.blocks.push_back(block);
    }
}

}  // namespace

std::optional<SurveyFile> later_picks(const LayerCall& call) {
    if (call.layers.count != 0) return line_file(call);
    if (takes_first_alone(call.layers)) return std::nullopt;
    const bool asked = !call.layers.phases.empty();
    PickReadOptions options;
    options.named_phases = true;
    SurveyFile file;
    try {
        Notes notes;
        const PickFormat format = pick_format_of(call.picks);
        const bool named = format == PickFormat::rayinvr || format == PickFormat::tomo2d ||
                           format == PickFormat::table;
        if (!named) {
            if (!asked) return std::nullopt;
            throw InputError(
                fmt::format("'{}' is read as {}, which names no phases (leave --phases "
                            "out)",
                            call.picks.string(), name_of(format)));
        }
        file = read_survey_file(call.picks, options, notes);
        const std::vector<std::string> names = distinct(file.phases);
        const bool codes = format != PickFormat::table;
        const bool later = codes ? names.size() > 1
                                 : std::any_of(names.begin(), names.end(), may_be_later) ||
                                       (names.size() > 1 && is_layered_model(call.model) &&
                                        names != std::vector<std::string>{"P", "S"});
        if (!asked && !later) return std::nullopt;
    } catch (const InputError&) {
        if (asked) throw;
        return std::nullopt;  // the usual way tells what is wrong
    }
    return file;
}

LayerInputs read_layer_inputs(const LayerCall& call, SurveyFile&& file, const Run& run) {
    Notes notes;
    const bool of_line = call.layers.count != 0;
    if (of_line) {
        note_doubts(file.picks, notes);
    } else {
        // Once more, for what the reader has to tell.
        PickReadOptions options;
        options.named_phases = true;
        file = read_survey_file(call.picks, options, notes);
    }
    PhasePicks picks = phase_picks(std::move(file.picks), file.phases);
    std::vector<std::string> choices;
    std::string guessed;
    std::vector<BlockPrior> known;  // of interfaces that delay times tell
    double velocity_length = 0;     // and of velocities, where nobody says it
    const PhaseNames given = given_names(call.layers, notes);
    if (!given.empty()) picks = renamed(picks, given);
    give_errors(picks.survey, call.errors);
    std::optional<LayeredMedium> start;
    const auto name_codes = [&](const PhaseNames& names) {
        guessed = list_of(names);
        choices.push_back(describe(names, picks));
        picks = renamed(picks, names);
    };
    const bool of_tomo2d = given.empty() && pick_format_of(call.picks) == PickFormat::tomo2d;
    if (call.model) {
        start.emplace(read_start(call, uses_s(picks), notes));
        const Model& model = start->layers().front().p;
        if (on_sphere(model)) {
            if (!file.plane) {
                throw InputError(fmt::format(
                    "'{}' has x and y (a spherical model needs longitudes and latitudes)",
                    call.picks.string()));
            }
            take_off_plane(picks.survey, *file.plane);
            file.plane.reset();
        }
        fit_to_model(model, picks.survey, call.picks, AirPoints::refused);
        if (of_tomo2d) name_codes(tomo2d_names(picks, start));
        if (has_codes(picks)) name_codes(match_codes(*start, picks, run.execution()));
    } else {
        if (of_tomo2d) name_codes(tomo2d_names(picks, start));
        if (has_codes(picks)) name_codes(guess_codes(picks));
        const auto take = [&](auto&& first) {
            choices.insert(choices.end(), first.choices.begin(), first.choices.end());
            start.emplace(std::move(first.medium));
        };
        if (of_line) {
            RefractionLayers first = refraction_layers(picks.survey, call.layers.count, call.guess);
            known = std::move(first.blocks);
            velocity_length = first.velocity_length;
            take(std::move(first));
        } else {
            take(first_layers(picks, call.guess));
        }
        fit_to_model(start->layers().front().p, picks.survey, call.picks, AirPoints::refused);
    }
    picks = known_picks(*start, picks, notes);
    LayerInversionOptions options{call.options, {}, call.layers.rays};
    options.prior = given_prior(call.layers, call.axes, start->grid().is_2d(), notes);
    if (options.prior.depth) known.clear();
    add_unsaid(known, options.prior);
    Vec3& length = options.prior.velocity_length;
    if (length == Vec3{}) length = {velocity_length, velocity_length, velocity_length};
    settle_axes(options.loop, call.axes, start->grid().is_2d());
    if (call.known) read_known_events(*call.known, picks.survey, notes);
    for (DepthDatum& datum : options.prior.depths) {
        if (start->grid().is_2d()) datum.at.y = start->grid().origin.y;
    }
    note_thin_layers(*start, picks.survey, notes);
    tell(notes);
    LayerInputs inputs{std::move(*start), std::move(picks), std::move(options)};
    inputs.guessed_start = !call.model;
    inputs.phases = guessed;
    inputs.choices = std::move(choices);
    const LayerPrior& prior = inputs.options.prior;
    for (const BlockPrior& block : known) {
        inputs.choices.push_back(fmt::format(
            "`deviation_of={}={:.2g},{:.2g}`: how far this interface may be from there, over which "
            "length",
            block.of, block.deviation, block.length));
    }
    if (!prior.depth && known.empty() && inputs.start.layer_count() > 1) {
        inputs.options.prior.depth = chosen_deviation(inputs.start);
        inputs.choices.push_back(
            fmt::format("`depth_deviation={:.3g}`, `velocity_deviation={:g}`: how far depths and "
                        "velocities may be from the start's",
                        *prior.depth, prior.velocity));
    }
    inputs.plane = file.plane;
    inputs.projection = file.projection;
    inputs.exported = call.exported;
    NamedUnits named = guess_units(known_units(first_of(call.units, file.units), file.plane),
                                   inputs.start.layers().front().p);
    inputs.units = std::move(named.units);
    if (!named.reason.empty()) inputs.choices.push_back(std::move(named.reason));
    return inputs;
}

void run_layer_inversion(const LayerInputs& inputs, RunFolder& folder, const RunStart& start,
                         const Run& run) {
    std::optional<InversionState> state;
    std::string identity;
    together(run.ranks, [&] {
        require_invertible(inputs.start, inputs.picks, inputs.options);
        if (!run.ranks.is_root()) return;
        identity = run_fingerprint(inputs.start, inputs.picks, inputs.options);
        std::vector<std::string> names = {"layers.csv"};
        if (inputs.guessed_start) names.emplace_back("start.h5");
        if (inputs.options.loop.joint.relocate != Relocate::none) {
            names.insert(names.end(), {"events.csv", "moved_picks.csv"});
        }
        const RunPlan plan{identity, names, start.overwrite,
                           with_choices(with_units(run.settings, inputs.units),
                                        {inputs.options.loop, inputs.start.grid(),
                                         inputs.guessed_start, inputs.choices, inputs.phases}),
                           run.inputs};
        state = enter_run(folder, inputs.start.grid(), plan, start.resume, run);
        for (const std::string& sentence : inputs.choices) {
            say(run, "chosen: " + with_flags(sentence));
        }
        if (state) say(run, fmt::format("going on after iteration {}", state->iteration()));
        if (inputs.guessed_start) write_layered(folder.file("start.h5"), inputs.start, identity);
    });
    const int planned = inputs.options.loop.gauss_newton.iterations;
    InversionListener listener;
    listener.iteration = [&](const IterationReport& report, const Model&) {
        say(run, cli::line_of(report, planned));
    };
    listener.update = [&](const InversionState& now) {
        write_history(folder.file("history.csv"), now.history, identity);
        write_checkpoint(folder.file(checkpoint_name), inputs.start.place(), now, identity);
    };
    const LayerInversion found = invert_layers(inputs.start, inputs.picks, inputs.options,
                                               run.execution(), listener, std::move(state));
    together(run.ranks, [&] {
        if (!run.ranks.is_root()) return;
        write_results(inputs, found, folder, identity, run);
        folder.finish();
        if (found.run.events.empty()) return;
        Notes notes;
        write_export(inputs.exported, inputs.picks.survey, inputs.plane,
                     catalogue_of(inputs.picks.survey, found.run), {}, notes);
        tell(notes);
    });
}

}  // namespace fermat::cli
