#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/choice.hpp"
#include "core/execution.hpp"
#include "model/medium.hpp"
#include "rays/rays.hpp"
#include "survey/survey.hpp"
#include "tomography/gauss_newton/options.hpp"
#include "tomography/gauss_newton/terms.hpp"
#include "tomography/hole/backprojection.hpp"
#include "tomography/hole/schedule.hpp"
#include "tomography/hole/update.hpp"
#include "tomography/joint/joint_event.hpp"
#include "tomography/joint/options.hpp"
#include "tomography/loop/method_state.hpp"
#include "tomography/misfit.hpp"
#include "tomography/smoothing/smoothing.hpp"

namespace fermat {

/// How residuals make a new model.
enum class InversionMethod {
    automatic,     ///< gauss_newton, or hole where a schedule is given
    gauss_newton,  ///< regularised least squares: the smoothest model that explains the picks
    hole,          ///< back-projection and smoothing by a schedule of boxes (Hole 1992, paper 4)
    adjoint,       ///< the objective of gauss_newton by gradients alone: no rays, no matrix
};
template <>
inline constexpr auto choices<InversionMethod> = choice_table<InversionMethod>(
    "inversion method", {{"auto", InversionMethod::automatic},
                         {"gauss-newton", InversionMethod::gauss_newton},
                         {"hole", InversionMethod::hole},
                         {"adjoint", InversionMethod::adjoint}});

/// How picks count against each other.
enum class PickWeights {
    errors,  ///< by 1 / error^2 where errors are given, else all alike: the default
    equal,   ///< all alike
};
template <>
inline constexpr auto choices<PickWeights> = choice_table<PickWeights>(
    "pick weights", {{"errors", PickWeights::errors}, {"equal", PickWeights::equal}});

/// Of the tracers that follow no time field.
struct FieldlessOptions {
    StartSet starts = BendingOptions{}.starts;
    double segment = BendingOptions{}.segment;
    Index3 radius;  ///< of the graph's star; all 0: default_radius
};
template <>
inline constexpr auto options_of<FieldlessOptions> = std::tuple{
    Option{"starts", &FieldlessOptions::starts, std::get<0>(options_of<BendingOptions>).meaning,
           std::get<0>(options_of<BendingOptions>).rule},
    Option{"segment", &FieldlessOptions::segment, std::get<1>(options_of<BendingOptions>).meaning,
           std::get<1>(options_of<BendingOptions>).rule,
           std::get<1>(options_of<BendingOptions>).otherwise},
    Option{"radius", &FieldlessOptions::radius, "of tracer graph: of its star, in nodes",
           Rule<Index3>{}, std::get<0>(options_of<GraphOptions>).otherwise, 0.0}};

/// What a flag, a line of a configuration file and a keyword of Python set.
struct InversionOptions {
    InversionMethod method = InversionMethod::automatic;
    GaussNewtonOptions gauss_newton;  ///< of that method
    JointOptions joint;               ///< of that method, with two phases or events that move
    EikonalOptions eikonal;           ///< of the fields that rays descend
    Tracer tracer = Tracer::descent;
    FieldlessOptions fieldless;   ///< of the tracers bending and graph
    std::vector<Stage> schedule;  ///< empty: default_schedule of the model's grid
    Smoother smoother = Smoother::running;
    RayShare share = RayShare::even;
    PickWeights weights = PickWeights::errors;
    double target_rms = 0;   ///< ends the run once reached; 0: none
    double target_chi2 = 0;  ///< the same; needs errors
    double stagnation = 0;   ///< a relative fall of the RMS below it ends a stage; 0: never
    /// Residuals beyond so many standard deviations are left out; 0: none. Not given: 4 with
    /// gauss_newton, none with hole.
    std::optional<double> outliers;
    UpdateLimits update;
    /// Of hole: becomes update.step when a run is set up. Not given: 1.9 where no schedule is given
    /// either, else 1.
    std::optional<double> step;
};
inline bool is_step(const std::optional<double>& step) {
    return !step || (*step > 0 && std::isfinite(*step));
}
inline bool is_fraction(const double& value) { return value >= 0 && value < 1; }
inline bool is_outlier_limit(const std::optional<double>& limit) {
    return !limit || *limit == 0 || (*limit >= 1 && std::isfinite(*limit));
}
/// Without the schedule, which is a file.
template <>
inline constexpr auto options_of<InversionOptions> = std::tuple{
    Option{"method", &InversionOptions::method,
           "gauss-newton: the smoothest model that explains the picks; hole: boxes by a schedule; "
           "adjoint: gauss-newton's objective by gradients alone, without rays or a matrix; auto: "
           "hole where a schedule is given"},
    OptionPart{&InversionOptions::gauss_newton},
    OptionPart{&InversionOptions::joint},
    Option{"target_rms", &InversionOptions::target_rms, "stop once the RMS residual is as small",
           not_negative, "none"},
    Option{"target_chi2", &InversionOptions::target_chi2,
           "stop once the mean of (residual / error)^2 is as small", not_negative,
           "1 of gauss-newton, none of hole"},
    Option{"stagnation", &InversionOptions::stagnation,
           "of hole: end a stage whose RMS falls by less than this fraction",
           Rule<double>{&is_fraction, ">= 0 and < 1"}, "never"},
    Option{"outliers", &InversionOptions::outliers,
           "leave out residuals beyond so many standard deviations; 0: none",
           Rule<std::optional<double>>{&is_outlier_limit, "0 for none, or >= 1"},
           "4 of gauss-newton, none of hole"},
    Option{"weights", &InversionOptions::weights, "how picks count"},
    Option{"share", &InversionOptions::share,
           "of hole: how a ray counts in the cells that it crosses"},
    Option{"step", &InversionOptions::step, "of hole: factor on every update",
           Rule<std::optional<double>>{&is_step, "> 0"}, "1, without a schedule 1.9"},
    OptionPart{&InversionOptions::update},
    Option{"smoother", &InversionOptions::smoother, "of hole: method of the smoothing"},
    Option{"tracer", &InversionOptions::tracer, "method of the rays"},
    OptionPart{&InversionOptions::fieldless},
    OptionPart{&InversionOptions::eikonal}};

void validate(const InversionOptions& options, const Survey& picks, const Medium& start);

/// Throws InputError where an inversion cannot be made: by its options, by its picks, or because
/// the method does not know such a model.
void require_invertible(const Medium& start, const Survey& picks, const InversionOptions& options,
                        Device device);

/// Whether the method is `hole`, or is left open and a schedule is given.
inline bool by_boxes(const InversionOptions& options) {
    return options.method == InversionMethod::automatic ? !options.schedule.empty()
                                                        : options.method == InversionMethod::hole;
}

/// Whether the loop runs on the CUDA device. Throws InputError where `device` asks for it and
/// cannot have it.
bool runs_on_cuda(const InversionOptions& options, Device device, const Model& start);

/// How its rays are made.
RayOptions ray_options(const InversionOptions& options);

/// Seconds of one iteration by what they went into.
struct IterationSeconds {
    double times = 0;
    double rays = 0;
    double cell_smoothing = 0;
    double vertex_smoothing = 0;
    double update = 0;

    double total() const { return times + rays + cell_smoothing + vertex_smoothing + update; }
};

/// The model after so many updates: how it was made and how well it explains the picks.
struct IterationReport {
    int iteration = 0;      ///< updates made; 0 is the start model
    Misfit misfit;          ///< of this model
    double max_update = 0;  ///< largest relative change of velocity in the update that made it
    int stage = 0;          ///< of that update, from 1; 0 for the start model
    SmoothingSize cell;
    SmoothingSize vertex;
    double lambda = 0;     ///< weight of the roughness in that step of Gauss-Newton
    double roughness = 0;  ///< of this model
    int passes = 0;        ///< over all sources, up to this model
    IterationSeconds seconds;
};

enum class StopReason { schedule_end, target_rms, target_chi2, stagnation };
template <>
inline constexpr auto choices<StopReason> =
    choice_table<StopReason>("stop reason", {{"schedule-end", StopReason::schedule_end},
                                             {"target-rms", StopReason::target_rms},
                                             {"target-chi2", StopReason::target_chi2},
                                             {"stagnation", StopReason::stagnation}});

/// All that a run needs to go on after an update, with the same bits as if it had never stopped.
struct InversionState {
    Field<float> velocity;
    std::vector<IterationReport> history;  ///< of the models before this one
    IterationReport next;                  ///< of Hole's loop: this one, as far as its update tells
    std::vector<double> initial_residual;
    std::vector<double> unknowns;  ///< of the other loops, whose history has this model too
    MethodState method;

    /// Of Hole's loop the history ends with the model before this one.
    int iteration() const { return unknowns.empty() ? next.iteration : history.back().iteration; }
    InversionState copy() const {
        return {velocity.copy(), history, next, initial_residual, unknowns, method};
    }
};

/// What an iteration knows beside its report. Fields are those of method `hole` and empty with
/// others; the last iteration is smoothed no more.
struct KeptIteration {
    int iteration = 0;
    const Model& model;  ///< of this iteration
    CellSums sums{};     ///< that its rays left in the cells
    /// What the update after it makes of these sums: means of the cell smoother, the same on
    /// nodes, and after the vertex smoother.
    Field<double> cells{};
    Field<double> nodes{};
    Field<double> smooth_nodes{};
};

/// What hears of a run on rank 0.
struct InversionListener {
    /// After every iteration, with its model.
    std::function<void(const IterationReport&, const Model&)> iteration;
    /// After every update: the place for a checkpoint.
    std::function<void(const InversionState&)> update;
    /// Which iterations `keep` is called for, from 0, the start model, on; none where it is empty.
    std::function<bool(int)> keeps;
    std::function<void(const KeptIteration&)> keep;

    bool has_to_keep(int number) const { return keeps && keep && keeps(number); }
};

struct InversionResult {
    Model model;
    Field<float> coverage{};  ///< rays in each cell that carried a residual, in the final model
    std::vector<IterationReport> history{};
    std::vector<double> initial_residual{};  ///< observed - computed, one per pick; NaN where lost
    std::vector<double> final_residual{};
    std::vector<PickUse> final_use{};
    StopReason reason = StopReason::schedule_end;
    std::vector<double> unknowns{};  ///< of a Gauss-Newton run's grid, on every rank
    PickTerms terms{};               ///< of such a run; empty where none were asked for
    std::optional<Model> s_model{};  ///< where the picks are of P and S; `model` is then that of P
    Field<float> s_coverage{};       ///< the same of its rays
    std::vector<JointEvent> events{};  ///< as in the survey; empty without relocation
    DifferenceFits differences{};      ///< one number per difference; empty without any
    JointTrust trust{};                ///< of a joint run, as far as it was asked for
    /// Sources, for P and again for S, whose times in the final model are of first order, because
    /// the second did not settle there (models with a metric).
    std::int64_t first_order_sources = 0;
    std::int64_t coarse_sources = 0;  ///< likewise, beside jumps of velocity alone
    /// Picks of a Gauss-Newton run that were left out on its way and then counted, because they
    /// agree with each other (see OutlierGroups).
    std::vector<std::int32_t> taken_back{};
};

/// Runs the loop from a start, of P and S where picks are of both, or on from a state of the same
/// run. Throws InputError where a point lies outside the model or no pick has a ray. On other ranks
/// than 0 the result holds the model alone.
InversionResult invert(const Medium& start, const Survey& picks, const InversionOptions& options,
                       const Execution& execution = {}, const InversionListener& listener = {},
                       std::optional<InversionState> resume = std::nullopt);

/// A name for the run that these make, up to the last bit: the version, the model, the picks and
/// every option that counts, and whether it runs on the CUDA device. Threads and ranks do
/// not.
std::string run_fingerprint(const Medium& start, const Survey& picks,
                            const InversionOptions& options, Device device);

}  // namespace fermat
