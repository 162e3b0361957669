#include "cli/trust_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <system_error>

#include "cli/device_flags.hpp"
#include "cli/flags.hpp"
#include "cli/tell.hpp"
#include "core/error.hpp"
#include "io/atomic_file.hpp"
#include "io/run_mark.hpp"
#include "io/trust_io.hpp"
#include "tomography/joint/invert_joint.hpp"
#include "tomography/trust/linear_problem.hpp"

namespace fermat::cli {
namespace {

namespace fs = std::filesystem;

/// "bootstrap" or "bootstrap:40".
void read_ensemble(TrustFlags& flags, std::string_view text) {
    const std::size_t colon = text.find(':');
    flags.ensemble.kind = parse_named<EnsembleKind>("--ensemble", text.substr(0, colon));
    if (colon != std::string_view::npos) {
        flags.ensemble.members = parse_whole("--ensemble", text.substr(colon + 1), 2, 10000);
    }
    flags.ensemble_given = true;
}

bool wants_linear(const TrustFlags& flags) {
    return flags.trust.resolution || flags.trust.deviation || !flags.points.empty();
}

std::vector<Vec3> points_of(const TrustFlags& flags, const Model& model) {
    const Grid& grid = model.grid();
    std::vector<Vec3> points;
    for (const std::string& text : flags.points) {
        points.push_back(to_point(parse_axes("--point-spread", text), grid));
        model.place().inside(points.back(), "--point-spread " + text);
    }
    return points;
}

/// Members as files of the run's folder.
class MemberFiles {
  public:
    MemberFiles(fs::path folder, Shape shape, std::string run, std::string ensemble)
        : folder_(std::move(folder)),
          shape_(shape),
          run_(std::move(run)),
          ensemble_(std::move(ensemble)) {}

    EnsembleStore store() {
        EnsembleStore store;
        store.load = [this](int n) { return read_member(file(n), shape_, ensemble_); };
        store.save = [this](int n, const EnsembleMember& member) {
            std::error_code error;
            fs::create_directories(folder_, error);
            if (error) throw ComputeError(write_failure(folder_, error.value()));
            write_member(file(n), member, run_, ensemble_);
        };
        return store;
    }

    /// Members of another ensemble that lay here go.
    void keep_only(std::size_t count) const {
        for (std::size_t n = count;; ++n) {
            const fs::path next = file(static_cast<int>(n));
            if (run_of_file(next).empty()) return;
            std::error_code ignored;
            fs::remove(next, ignored);
        }
    }

  private:
    fs::path file(int n) const { return folder_ / fmt::format("member_{:04}.h5", n); }

    fs::path folder_;
    Shape shape_;
    std::string run_;
    std::string ensemble_;
};

void write_choice(const Choice& choice, const RunFolder& folder, const std::string& identity) {
    if (choice.smoothing) {
        write_smoothing_table(folder.file("choice.csv"), *choice.smoothing, identity);
    }
    if (choice.schedule) {
        write_schedule_table(folder.file("choice.csv"), *choice.schedule, identity);
        write_schedule(folder.file("chosen_schedule.csv"), choice.schedule->schedule, identity);
    }
}

/// The run as the ensemble's members may begin with it: not one of boxes, nor one without a step.
std::optional<FoundModel> found_if_any(const InversionResult& result, Ranks& ranks) {
    const double lambda = result.history.empty() ? 0 : result.history.back().lambda;
    if (result.unknowns.empty() || !(broadcast_value(ranks, lambda) > 0)) return std::nullopt;
    return found_model(result, ranks);
}

}  // namespace

void add_trust_flags(CLI::App& app, TrustFlags& flags) {
    app.add_flag("--resolution", flags.trust.resolution,
                 "write into trust.h5 how much of each unknown's own truth is in it, 0 to 1, and "
                 "the length that is resolved");
    app.add_flag("--deviation", flags.trust.deviation,
                 "write into trust.h5 the standard deviation of velocity, by the picks' errors and "
                 "the smoothing of the run");
    add_choice(app, "--trust-method", flags.trust.method,
               "of --resolution and --deviation; auto: exact up to 6000 unknowns");
    add_whole(app, "--solves", "N", flags.trust.solves,
              "of --trust-method sampled: more are more accurate", 1, 1000000)
        ->default_str("128");
    add_repeated(app, "--point-spread", "X,Y,Z", flags.points,
                 "write into trust.h5 what the run makes of a change at this point alone (X,Z in "
                 "2-D); may be given several times");
    add_value(app, "--ensemble", "KIND[:N]", flags.ensemble_given,
              "run N members (default: 20) and write their mean and spread into trust.h5: " +
                  names_of<EnsembleKind>(),
              [&flags](std::string_view, std::string_view text) {
                  read_ensemble(flags, text);
                  return true;
              });
    add_choice(app, "--ensemble-by", flags.ensemble.unit,
               "what bootstrap, jackknife and subsets draw or leave out");
    add_choice(app, "--fuse", flags.ensemble.fuse,
               "what members of --ensemble subsets count by in their mean");
    add_device_flags(app, flags.devices,
                     "the sources of --method adjoint and the members of --ensemble");
    add_real(app, "--start-amplitude", flags.ensemble.amplitude,
             "of --ensemble start: relative deviation of the start models (default: 0.1)");
    add_choice(app, "--choose", flags.chosen,
               "by cross-validation, before the run; schedule is for method hole");
    add_whole(app, "--folds", "N", flags.validation.folds, "of --choose", 2, 1000)
        ->default_str("5");
    add_choice(app, "--folds-by", flags.validation.unit, "of --choose: what a fold holds");
}

void prepare_joint(InversionOptions& options, const TrustFlags& flags, std::uint64_t seed) {
    if (!flags.points.empty() || flags.ensemble_given || flags.chosen != Chosen::nothing) {
        throw InputError(
            "--point-spread, --ensemble and --choose know one velocity and events in place (leave "
            "them out of runs of P and S or with --relocate, which have --resolution and "
            "--deviation)");
    }
    if (flags.trust.method == TrustMethod::exact) {
        throw InputError(
            "--trust-method is 'exact' in a run of P and S or with --relocate (must be auto or "
            "sampled)");
    }
    options.joint.trust = {flags.trust.resolution, flags.trust.deviation, flags.trust.solves, seed};
}

void prepare(InversionOptions& options, const TrustFlags& flags) {
    if (!flags.devices.empty() && !flags.ensemble_given &&
        options.method != InversionMethod::adjoint) {
        throw InputError(
            "--devices shares the members of an ensemble or the sources of method adjoint (give "
            "--ensemble or --method adjoint too)");
    }
    if (flags.chosen == Chosen::schedule) {
        if (options.method == InversionMethod::gauss_newton || !options.schedule.empty()) {
            throw InputError(fmt::format(
                "--choose is 'schedule' and {} (a schedule is chosen for --method hole, and not "
                "where one is given)",
                options.schedule.empty() ? "--method is 'gauss-newton'" : "--schedule is given"));
        }
        options.method = InversionMethod::hole;
    }
    const bool boxes = options.method == InversionMethod::hole || !options.schedule.empty();
    if (boxes && wants_linear(flags)) {
        throw InputError(
            "--resolution, --deviation and --point-spread need --method gauss-newton (with boxes "
            "--ensemble tells what can be trusted)");
    }
    if (flags.chosen == Chosen::smoothing && (boxes || options.gauss_newton.lambda > 0)) {
        throw InputError(fmt::format(
            "--choose is 'smoothing' and {} (leave one of them out)",
            boxes ? "--method is 'hole', which has a schedule instead" : "--smoothing is given"));
    }
    if (flags.ensemble_given) validate(flags.ensemble);
}

Choice choose_options(InversionInputs& inputs, TrustFlags flags, std::uint64_t seed,
                      const Run& run) {
    flags.validation.seed = seed;
    together(run.ranks, [&] { points_of(flags, inputs.start.first()); });
    Choice choice;
    if (flags.chosen == Chosen::smoothing) {
        choice.smoothing = choose_smoothing(inputs.start.first(), inputs.picks, inputs.options,
                                            flags.validation, run.execution());
        inputs.options.gauss_newton.lambda = choice.smoothing->lambda;
        inputs.choices.push_back(choice.smoothing->sentence);
    }
    if (flags.chosen == Chosen::schedule) {
        choice.schedule = choose_schedule(inputs.start.first(), inputs.picks, inputs.options,
                                          flags.validation, run.execution());
        inputs.options.schedule = choice.schedule->schedule;
        inputs.choices.push_back("--schedule chosen_schedule.csv: " + choice.schedule->sentence);
    }
    return choice;
}

namespace {

/// What a joint run found of itself.
void write_joint_trust(const InversionInputs& inputs, const InversionResult& result,
                       const TrustFlags& flags, const RunFolder& folder, const Run& run) {
    if (!wants_linear(flags)) return;
    const std::string identity =
        run_fingerprint(inputs.start, inputs.picks, inputs.options, run.common.device);
    const JointTrust& trust = result.trust;
    together(run.ranks, [&] {
        if (!run.ranks.is_root()) return;
        write_trust(folder.file("trust.h5"), inputs.start.first(),
                    {{"resolution", &trust.resolution},
                     {"vp_vs_resolution", &trust.ratio_resolution},
                     {"deviation", &trust.deviation},
                     {"s_deviation", &trust.s_deviation},
                     {"vp_vs_deviation", &trust.ratio_deviation}},
                    identity);
        folder.link_views();
    });
    std::string text = fmt::format(
        "resolution and deviation: sampled by {} solves for all unknowns together: deviations are "
        "good to {:.2g} % (1 sigma), and resolution is noisy where it is small",
        trust.solves, 100 / std::sqrt(2.0 * flags.trust.solves));
    if (trust.unfinished > 0) {
        text += fmt::format("; {} solves did not reach their accuracy", trust.unfinished);
    }
    say(run, text);
}

}  // namespace

void run_trust(const InversionInputs& inputs, const InversionResult& result, const Choice& choice,
               TrustFlags flags, std::uint64_t seed, const RunFolder& folder, const Run& run) {
    if (is_joint(inputs.picks, inputs.options)) {
        return write_joint_trust(inputs, result, flags, folder, run);
    }
    flags.trust.seed = seed;
    flags.ensemble.seed = seed;
    const std::string identity =
        run_fingerprint(inputs.start, inputs.picks, inputs.options, run.common.device);
    const Execution execution = run.execution();
    Ranks& ranks = run.ranks;
    together(ranks, [&] {
        if (ranks.is_root()) write_choice(choice, folder, identity);
    });
    Trust trust;
    std::vector<Field<float>> spreads;
    if (wants_linear(flags)) {
        const LinearProblem problem(inputs.start.first(), inputs.picks, inputs.options,
                                    found_model(result, ranks), execution);
        if (flags.trust.resolution || flags.trust.deviation) {
            trust = estimate_trust(problem, flags.trust, execution);
            say(run, "resolution and deviation: " + trust.sentence);
        }
        spreads = point_spread(problem, points_of(flags, inputs.start.first()), execution);
    }
    Ensemble ensemble;
    if (flags.ensemble_given) {
        const auto found = found_if_any(result, ranks);
        MemberFiles files(folder.file("ensemble-members"), inputs.start.first().given().shape(),
                          identity, ensemble_fingerprint(identity, found, flags.ensemble));
        const auto devices = named_devices(flags.devices, run.common);
        ensemble = run_ensemble(inputs.start.first(), inputs.picks, inputs.options, found,
                                flags.ensemble, execution, files.store());
        if (ranks.is_root()) files.keep_only(ensemble.members.size());
        say(run, ensemble.sentence);
    }
    together(ranks, [&] {
        if (!ranks.is_root()) return;
        std::vector<TrustField> fields = {
            {"resolution", &trust.resolution}, {"resolving_length", &trust.resolving_length},
            {"deviation", &trust.deviation},   {"mean", &ensemble.mean},
            {"spread", &ensemble.spread},      {"log_spread", &ensemble.log_spread}};
        for (std::size_t n = 0; n < spreads.size(); ++n) {
            fields.push_back({fmt::format("point_spread_{:03}", n), &spreads[n]});
        }
        if (flags.ensemble_given) {
            write_ensemble_table(folder.file("ensemble.csv"), ensemble, identity);
        }
        if (wants_linear(flags) || flags.ensemble_given) {
            write_trust(folder.file("trust.h5"), inputs.start.first(), fields, identity);
            folder.link_views();
        }
    });
}

}  // namespace fermat::cli
