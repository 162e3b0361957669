#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "differences.hpp"
#include "io/joint_io.hpp"
#include "io/run_io.hpp"
#include "keywords.hpp"
#include "known_ground.hpp"
#include "monitor.hpp"
#include "numpy.hpp"
#include "options.hpp"
#include "points.hpp"
#include "survey_columns.hpp"
#include "tomography/doubts.hpp"
#include "tomography/invert.hpp"
#include "tomography/joint/vp_vs.hpp"
#include "tomography/start/set_up.hpp"
#include "tomography/synthetic.hpp"
#include "trust_problem.hpp"
#include "warn.hpp"

namespace fermat::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

template <int columns>
using Rows = nb::ndarray<const std::int32_t, nb::shape<-1, columns>, nb::c_contig, nb::device::cpu>;
using Stages = Rows<9>;

/// Makes a survey from the columns of fermat.Picks.
Survey picks_from(const Model* model, const nb::tuple& columns) {
    const double y = model != nullptr ? model->grid().origin.y : 0;
    const auto labels = nb::cast<nb::tuple>(columns[6]);
    const auto error = nb::cast<Numbers>(columns[5]);
    Survey picks;
    for (const Vec3 p : points_from(nb::cast<Points>(columns[0]), y)) picks.events.push_back({p});
    for (const Vec3 p : points_from(nb::cast<Points>(columns[1]), y)) picks.stations.push_back({p});
    picks.has_errors = error.shape(0) > 0;
    picks.is_2d = nb::cast<Points>(columns[0]).shape(1) == 2;
    picks.arrivals =
        arrivals_from(nb::cast<Indices>(columns[2]), nb::cast<Indices>(columns[3]),
                      nb::cast<Indices>(labels[0]), nb::cast<Numbers>(columns[4]), error);
    add_labels(picks, labels);
    validate(picks);
    return picks;
}

/// Makes a schedule from rows of iterations, cell x y z, vertex x y z, cell passes, vertex passes.
std::vector<Stage> schedule_from(const Stages& rows) {
    std::vector<Stage> schedule;
    for (std::size_t n = 0; n < rows.shape(0); ++n) {
        const std::int32_t* row = rows.data() + n * rows.shape(1);
        schedule.push_back(
            {row[0], {row[1], row[2], row[3]}, {row[4], row[5], row[6]}, row[7], row[8]});
    }
    return schedule;
}

/// Returns the rows of a schedule file and the notes of its reader.
nb::tuple rows_of_schedule(const std::filesystem::path& path) {
    nb::list rows;
    Notes notes;
    for (const Stage& s : read_schedule(path, notes)) {
        rows.append(nb::make_tuple(s.iterations, s.cell.x, s.cell.y, s.cell.z, s.vertex.x,
                                   s.vertex.y, s.vertex.z, s.cell_passes, s.vertex_passes));
    }
    return nb::make_tuple(rows, sentences_of(notes));
}

nb::dict report_of(const IterationReport& report) {
    nb::dict row;
    row["iteration"] = report.iteration;
    row["rms"] = report.misfit.rms;
    row["chi2"] = report.misfit.chi2;
    row["weighted_rms"] = report.misfit.weighted_rms;
    row["picks"] = report.misfit.used;
    row["lost"] = report.misfit.lost;
    row["rejected"] = report.misfit.rejected;
    row["max_update"] = report.max_update;
    row["stage"] = report.stage;
    row["lambda"] = report.lambda;
    row["roughness"] = report.roughness;
    row["passes"] = report.passes;
    row["seconds"] = report.seconds.total();
    row["seconds_times"] = report.seconds.times;
    row["seconds_rays"] = report.seconds.rays;
    row["seconds_cell_smoothing"] = report.seconds.cell_smoothing;
    row["seconds_vertex_smoothing"] = report.seconds.vertex_smoothing;
    row["seconds_update"] = report.seconds.update;
    return row;
}

/// Columns of relocated events, or None.
nb::object events_of(const std::vector<JointEvent>& events) {
    if (events.empty()) return nb::none();
    std::vector<double> position, time, shift, time_shift, error, time_error, rms;
    std::vector<std::int32_t> picks, used;
    nb::list use;
    const auto add = [](std::vector<double>& to, Vec3 v) { to.insert(to.end(), {v.x, v.y, v.z}); };
    for (const JointEvent& event : events) {
        add(position, event.position);
        add(shift, event.shift);
        add(error, event.error);
        time.push_back(event.origin_time);
        time_shift.push_back(event.time_shift);
        time_error.push_back(event.time_error);
        rms.push_back(event.rms);
        picks.push_back(event.picks);
        used.push_back(event.used);
        use.append(nb::str(name_of(event.use).data(), name_of(event.use).size()));
    }
    nb::dict out;
    out["position"] = array_from(std::move(position));
    out["origin_time"] = array_from(std::move(time));
    out["shift"] = array_from(std::move(shift));
    out["shift_time"] = array_from(std::move(time_shift));
    out["error"] = array_from(std::move(error));
    out["error_time"] = array_from(std::move(time_error));
    out["rms"] = array_from(std::move(rms));
    out["picks"] = array_from(std::move(picks));
    out["used"] = array_from(std::move(used));
    out["use"] = use;
    return out;
}

/// What a joint run found beside the first model, or None: events, S model, Vp/Vs, coverage of S,
/// terms of stations of S.
nb::object joint_of(InversionResult& result, bool is_2d) {
    if (result.events.empty() && !result.s_model) return nb::none();
    nb::dict out;
    out["events"] = events_of(result.events);
    out["s_model"] = nb::none();
    if (result.s_model) {
        out["vp_vs"] = array_of(vp_vs_of(result.model, *result.s_model), is_2d);
        out["s_coverage"] = array_of(std::move(result.s_coverage));
        out["s_model"] = nb::cast(std::move(*result.s_model));
    }
    out["terms_s"] = array_from(std::move(result.terms.receiver_s));
    nb::dict fits;
    put_fits(std::move(result.differences), fits);
    out["differences"] = fits;
    nb::dict trust;
    const auto put = [&](const char* name, Field<float>& field) {
        if (field.size() > 0) trust[name] = array_of(std::move(field), is_2d);
    };
    put("resolution", result.trust.resolution);
    put("vp_vs_resolution", result.trust.ratio_resolution);
    put("deviation", result.trust.deviation);
    put("s_deviation", result.trust.s_deviation);
    put("vp_vs_deviation", result.trust.ratio_deviation);
    std::vector<double> covariance;
    for (const EventCovariance& of : result.trust.events) {
        constexpr std::array<std::size_t, 16> at = {0, 1, 2, 3, 1, 4, 5, 6, 2, 5, 7, 8, 3, 6, 8, 9};
        for (const std::size_t n : at) covariance.push_back(of[n]);
    }
    if (!covariance.empty()) trust["covariance"] = array_from(std::move(covariance));
    out["trust"] = trust;
    return out;
}

/// Known events and differences.
void fill_known(const Keywords& given, Survey& picks) {
    if (given.has("differences")) {
        picks.differences = differences_from(given.take<nb::dict>("differences"));
    }
    if (!given.has("known")) return;
    for (const auto& [event, known] : given.take<nb::dict>("known")) {
        set_known(picks, nb::cast<std::string>(nb::str(event)),
                  keyword_as<std::string>(known, "a value of known"));
    }
}

/// The start of P, and of S where it has a model of its own; none: to be guessed.
std::optional<Medium> start_from(const Model* asked, const Keywords& given) {
    const Model* of_s = given.has("s_model") ? given.take<const Model*>("s_model") : nullptr;
    if (asked == nullptr && of_s == nullptr) return std::nullopt;
    if (asked == nullptr) {
        throw InputError("s_model is given without a model (S velocities stand on its grid)");
    }
    return of_s == nullptr ? Medium(asked->copy()) : Medium(asked->copy(), of_s->copy());
}

InversionOptions options_from(const Keywords& given, const Stages& schedule) {
    InversionOptions options;
    given.fill(options);
    on_cuda(options.eikonal, parse_choice<Device>(given.text("device", "auto")));
    options.schedule = schedule_from(schedule);
    if (given.has("reference")) {
        options.gauss_newton.reference =
            std::make_shared<const Model>(given.take<const Model*>("reference")->copy());
    }
    options.gauss_newton.known = known_ground(given);
    return options;
}

nb::list list_of(const std::vector<std::string>& sentences) {
    nb::list list;
    for (const std::string& sentence : sentences) list.append(with_keywords(sentence));
    return list;
}

/// What fermat.Inversion reads of a run.
struct FoundInversion {
    nb::object model;
    nb::object start;
    nb::object coverage;
    nb::object history;
    nb::object initial_residual;
    nb::object final_residual;
    nb::object use;
    std::string reason;
    nb::object choices;
    nb::object warnings;
    nb::object problem;
    nb::object shot_terms;
    nb::object receiver_terms;
    nb::object common_terms;
    nb::object joint;  ///< a dict, or None
};

FoundInversion run(const nb::object& model, const nb::tuple& picks, const Stages& schedule,
                   const nb::dict& keywords, nb::object callback, nb::object progress) {
    const Model* asked = model.is_none() ? nullptr : &nb::cast<const Model&>(model);
    Survey observed = picks_from(asked, picks);
    const Keywords given(keywords);
    std::optional<Medium> start = start_from(asked, given);
    std::optional<PickErrors> errors;
    if (given.has("error")) {
        const auto parts = given.take<nb::tuple>("error");
        errors = {nb::cast<double>(parts[0]), nb::cast<double>(parts[1])};
    }
    GuessOptions guess;
    given.fill(guess);
    InversionOptions options = options_from(given, schedule);
    const bool trusted = given.whole("joint_trust", 0) != 0;
    options.joint.trust.resolution = options.joint.trust.deviation = trusted;
    fill_known(given, observed);
    InversionListener listener;
    if (!callback.is_none()) {
        listener.iteration = [&](const IterationReport& report, const Model& now) {
            const nb::gil_scoped_acquire acquire;
            nb::dict row = report_of(report);
            row["model"] = nb::cast(now.copy(), nb::rv_policy::move);
            callback(row);
        };
    }
    if (given.has("keep")) {
        const auto keep = given.take<nb::object>("keep");
        const bool is_2d = observed.is_2d;
        listener.update = [keep, is_2d](const InversionState& state) {
            const nb::gil_scoped_acquire acquire;
            keep(array_of(state.velocity.copy(), is_2d));
        };
    }
    PythonMonitor bridge(std::move(progress), given.whole("threads", 0),
                         given.text("device", "auto"));
    std::optional<InversionSetup> setup;
    InversionResult result = bridge.run([&](const Execution& execution) {
        setup.emplace(
            set_up_inversion(std::move(start), observed, options, guess, errors, execution));
        return invert(setup->start, setup->picks, setup->options, execution, listener);
    });
    nb::list history;
    for (const IterationReport& report : result.history) history.append(report_of(report));
    std::vector<std::uint8_t> use;
    for (const PickUse u : result.final_use) use.push_back(static_cast<std::uint8_t>(u));
    const std::string reason(name_of(result.reason));
    std::vector<std::string> warnings = setup->warnings;
    for (std::string& sentence :
         doubts_about(setup->start.first(), setup->picks, setup->options, result)) {
        warnings.push_back(std::move(sentence));
    }
    TrustProblem problem{setup->start.first().copy(), setup->picks, setup->options, std::nullopt};
    if (!result.unknowns.empty() && result.history.back().lambda > 0) {
        problem.found = found_model(result, serial_ranks());
    }
    FoundInversion found;
    found.joint = joint_of(result, setup->start.grid().is_2d());
    found.model = nb::cast(std::move(result.model));
    found.start = nb::cast(setup->start.first().copy());
    found.coverage = nb::cast(array_of(std::move(result.coverage)));
    found.history = history;
    found.initial_residual = nb::cast(array_from(std::move(result.initial_residual)));
    found.final_residual = nb::cast(array_from(std::move(result.final_residual)));
    found.use = nb::cast(array_from(std::move(use)));
    found.reason = reason;
    found.choices = list_of(setup->choices);
    found.warnings = list_of(warnings);
    found.problem = nb::cast(std::move(problem));
    found.shot_terms = nb::cast(array_from(std::move(result.terms.shot)));
    found.receiver_terms = nb::cast(array_from(std::move(result.terms.receiver)));
    found.common_terms = nb::cast(array_from(std::move(result.terms.common)));
    return found;
}

/// Returns source, receiver, time and error of the pairs that have a time, and the number of the
/// other pairs.
nb::tuple synthetic(const Model& model, const Points& sources, const Points& receivers,
                    const Rows<2>& pairs, double noise, std::uint64_t seed,
                    const std::string& solver, int order, const std::string& device, int threads,
                    nb::object progress) {
    std::vector<PointSource> from;
    for (const Vec3 p : points_from(sources, model.grid().origin.y)) from.push_back({p, 0});
    const std::vector<Vec3> to = points_from(receivers, model.grid().origin.y);
    std::vector<RayPair> which;
    for (std::size_t n = 0; n < pairs.shape(0); ++n) {
        which.push_back({pairs.data()[2 * n], pairs.data()[2 * n + 1]});
    }
    const EikonalOptions eikonal = eikonal_options(solver, order, device);
    PythonMonitor bridge(std::move(progress), threads, device);
    const SyntheticPicks made = bridge.run([&](const Execution& execution) {
        return synthetic_picks(model, survey_of(from, to, which), {noise, seed}, eikonal,
                               execution);
    });
    warn(made.notes);
    std::vector<std::int32_t> source;
    std::vector<std::int32_t> receiver;
    std::vector<double> time;
    for (const Arrival& pick : made.picks.arrivals) {
        source.push_back(pick.event);
        receiver.push_back(pick.station);
        time.push_back(pick.time);
    }
    return nb::make_tuple(array_from(std::move(source)), array_from(std::move(receiver)),
                          array_from(std::move(time)), made.unreached);
}

}  // namespace

void bind_invert(nb::module_& module) {
    nb::class_<FoundInversion>(module, "FoundInversion", "What fermat.Inversion reads of a run.")
        .def_ro("model", &FoundInversion::model)
        .def_ro("start", &FoundInversion::start)
        .def_ro("coverage", &FoundInversion::coverage)
        .def_ro("history", &FoundInversion::history)
        .def_ro("initial_residual", &FoundInversion::initial_residual)
        .def_ro("final_residual", &FoundInversion::final_residual)
        .def_ro("use", &FoundInversion::use)
        .def_ro("reason", &FoundInversion::reason)
        .def_ro("choices", &FoundInversion::choices)
        .def_ro("warnings", &FoundInversion::warnings)
        .def_ro("problem", &FoundInversion::problem)
        .def_ro("shot_terms", &FoundInversion::shot_terms)
        .def_ro("receiver_terms", &FoundInversion::receiver_terms)
        .def_ro("common_terms", &FoundInversion::common_terms)
        .def_ro("joint", &FoundInversion::joint);
    module.def("invert", &run, "model"_a.none(), "picks"_a, "schedule"_a, "options"_a,
               "callback"_a.none(), "progress"_a.none(),
               nb::sig("def invert(model: Model | None, picks: tuple[typing.Any, ...], schedule: "
                       "numpy.typing.NDArray[typing.Any], options: dict[str, typing.Any], "
                       "callback: object | None, progress: object | None) -> FoundInversion"),
               "fermat.invert after its arguments are checked.");
    module.def("synthetic_picks", &synthetic, "model"_a, "sources"_a, "receivers"_a, "pairs"_a,
               "noise"_a, "seed"_a, "solver"_a, "order"_a, "device"_a, "threads"_a,
               "progress"_a.none(),
               nb::sig("def synthetic_picks(model: Model, sources: "
                       "numpy.typing.NDArray[typing.Any], receivers: "
                       "numpy.typing.NDArray[typing.Any], pairs: "
                       "numpy.typing.NDArray[typing.Any], noise: float, seed: int, solver: str, "
                       "order: int, device: str, threads: int, progress: object | None) -> "
                       "tuple[typing.Any, ...]"),
               "fermat.synthetic_picks after its arguments are checked.");
    module.def("load_schedule", &rows_of_schedule, "path"_a,
               nb::sig("def load_schedule(path: str | os.PathLike[str]) -> "
                       "tuple[list[tuple[int, ...]], list[str]]"),
               "Rows of a schedule file, and notes about it.");
}

}  // namespace fermat::python
