#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "core/error.hpp"
#include "keywords.hpp"
#include "monitor.hpp"
#include "numpy.hpp"
#include "points.hpp"
#include "tomography/trust/ensemble.hpp"
#include "tomography/trust/linear_problem.hpp"
#include "tomography/trust/trust.hpp"
#include "tomography/validation/choose_schedule.hpp"
#include "tomography/validation/choose_smoothing.hpp"
#include "trust_problem.hpp"

namespace fermat::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

/// Returns a field with the shape of the model's velocity, or None if it is empty.
nb::object array_or_none(const TrustProblem& problem, Field<float> field) {
    if (field.size() == 0) return nb::none();
    return nb::cast(array_of(std::move(field), problem.start.grid().is_2d()));
}

const FoundModel& found_of(const TrustProblem& problem) {
    if (problem.found) return *problem.found;
    throw InputError(
        "the run has no resolution (only runs of method 'gauss-newton' that made a step have; "
        "fermat.ensemble works with all)");
}

nb::tuple trust(const TrustProblem& problem, bool resolution, bool deviation,
                const std::string& method, int solves, std::uint64_t seed, int threads,
                const std::string& device, nb::object progress) {
    const TrustOptions options{parse_choice<TrustMethod>(method), solves, seed, resolution,
                               deviation};
    validate(options);
    const FoundModel& found = found_of(problem);
    PythonMonitor bridge(std::move(progress), threads, device);
    Trust made = bridge.run([&](const Execution& execution) {
        const LinearProblem linear(problem.start, problem.picks, problem.options, found, execution);
        return estimate_trust(linear, options, execution);
    });
    return nb::make_tuple(array_or_none(problem, std::move(made.resolution)),
                          array_or_none(problem, std::move(made.resolving_length)),
                          array_or_none(problem, std::move(made.deviation)), made.sentence);
}

nb::list spread(const TrustProblem& problem, const Points& points, int threads,
                const std::string& device, nb::object progress) {
    const std::vector<Vec3> at = points_from(points, problem.start.grid().origin.y);
    const FoundModel& found = found_of(problem);
    PythonMonitor bridge(std::move(progress), threads, device);
    std::vector<Field<float>> fields = bridge.run([&](const Execution& execution) {
        const LinearProblem linear(problem.start, problem.picks, problem.options, found, execution);
        return point_spread(linear, at, execution);
    });
    nb::list list;
    for (Field<float>& field : fields) list.append(array_or_none(problem, std::move(field)));
    return list;
}

/// What fermat.Ensemble and fermat.CrossValidation read.
struct FoundEnsemble {
    nb::object mean;
    nb::object spread;
    nb::object log_spread;
    nb::object members;
    std::string sentence;
};

struct FoundValidation {
    nb::object chosen;  ///< smoothing or schedule; None if nothing was to be chosen
    nb::object table;
    std::string sentence;
};

FoundEnsemble ensemble(const TrustProblem& problem, const nb::dict& given, int threads,
                       const std::string& device, nb::object progress) {
    const auto text = [&](const char* name) { return nb::cast<std::string>(given[name]); };
    EnsembleOptions options;
    options.kind = parse_choice<EnsembleKind>(text("kind"));
    options.members = nb::cast<int>(given["members"]);
    options.unit = parse_choice<PickUnit>(text("by"));
    options.seed = nb::cast<std::uint64_t>(given["seed"]);
    options.amplitude = nb::cast<double>(given["amplitude"]);
    options.length = nb::cast<double>(given["length"]);
    options.fuse = parse_choice<FusionWeight>(text("fuse"));
    PythonMonitor bridge(std::move(progress), threads, device);
    Ensemble made = bridge.run([&](const Execution& execution) {
        return run_ensemble(problem.start, problem.picks, problem.options, problem.found, options,
                            execution);
    });
    nb::list members;
    for (const EnsembleMember& member : made.members) {
        nb::dict row;
        row["rms"] = member.rms;
        row["chi2"] = member.chi2;
        row["picks"] = member.picks;
        row["iterations"] = member.iterations;
        members.append(row);
    }
    return {nb::cast(problem.start.with_given(std::move(made.mean))),
            array_or_none(problem, std::move(made.spread)),
            array_or_none(problem, std::move(made.log_spread)), members, made.sentence};
}

FoundValidation validated(const TrustProblem& problem, const std::string& choose, int folds,
                          const std::string& unit, std::uint64_t seed, int threads,
                          const std::string& device, nb::object progress) {
    const ValidationOptions options{folds, parse_choice<PickUnit>(unit), seed};
    PythonMonitor bridge(std::move(progress), threads, device);
    nb::list rows;
    if (choose == "smoothing") {
        const SmoothingChoice choice = bridge.run([&](const Execution& execution) {
            return choose_smoothing(problem.start, problem.picks, problem.options, options,
                                    execution);
        });
        for (const SmoothingScore& score : choice.table) {
            nb::dict row;
            row["smoothing"] = score.lambda;
            row["held_out"] = score.score.held_out;
            row["fitted"] = score.score.fitted;
            rows.append(row);
        }
        return {nb::cast(choice.lambda), rows, with_keywords(choice.sentence)};
    }
    if (choose == "schedule") {
        const bool flat = problem.start.grid().is_2d();
        const auto box_of = [&](const SmoothingSize& box) -> nb::tuple {
            if (flat) return nb::make_tuple(box.x, box.z);
            return nb::make_tuple(box.x, box.y, box.z);
        };
        const ScheduleChoice choice = bridge.run([&](const Execution& execution) {
            return choose_schedule(problem.start, problem.picks, problem.options, options,
                                   execution);
        });
        for (const StageScore& score : choice.table) {
            nb::dict row;
            row["stage"] = score.stage;
            row["iterations"] = score.tried.iterations;
            row["cell"] = box_of(score.tried.cell);
            row["held_out"] = score.held_out;
            row["taken"] = score.taken;
            rows.append(row);
        }
        nb::list schedule;
        for (const Stage& stage : choice.schedule) {
            schedule.append(
                nb::make_tuple(stage.iterations, box_of(stage.cell), box_of(stage.vertex)));
        }
        return {schedule, rows, choice.sentence};
    }
    if (choose != "none") {
        throw InputError("choose is '" + choose + "' (must be none, smoothing or schedule)");
    }
    const ValidationReport report = bridge.run([&](const Execution& execution) {
        return cross_validate_run(problem.start, problem.picks, problem.options, options,
                                  execution);
    });
    for (const FoldReport& fold : report.folds) {
        nb::dict row;
        row["held_out"] = fold.score.held_out;
        row["fitted"] = fold.score.fitted;
        row["picks_fitted"] = fold.fitted;
        row["picks_held_out"] = fold.held_out;
        row["iterations"] = fold.iterations;
        rows.append(row);
    }
    return {nb::none(), rows, {}};
}

}  // namespace

void bind_trust(nb::module_& module) {
    nb::class_<TrustProblem>(module, "TrustProblem",
                             "The inputs and the result of a run; fermat.Inversion keeps it.");
    nb::class_<FoundEnsemble>(module, "FoundEnsemble", "What fermat.Ensemble reads.")
        .def_ro("mean", &FoundEnsemble::mean)
        .def_ro("spread", &FoundEnsemble::spread)
        .def_ro("log_spread", &FoundEnsemble::log_spread)
        .def_ro("members", &FoundEnsemble::members)
        .def_ro("sentence", &FoundEnsemble::sentence);
    nb::class_<FoundValidation>(module, "FoundValidation", "What fermat.CrossValidation reads.")
        .def_ro("chosen", &FoundValidation::chosen)
        .def_ro("table", &FoundValidation::table)
        .def_ro("sentence", &FoundValidation::sentence);
    module.def("trust", &trust, "problem"_a, "resolution"_a, "deviation"_a, "method"_a, "solves"_a,
               "seed"_a, "threads"_a, "device"_a, "progress"_a.none(),
               nb::sig("def trust(problem: TrustProblem, resolution: bool, deviation: bool, "
                       "method: str, solves: int, seed: int, threads: int, device: str, "
                       "progress: object | None) -> tuple[typing.Any, ...]"),
               "Resolution, resolving length, deviation, and how they were computed.");
    module.def("point_spread", &spread, "problem"_a, "points"_a, "threads"_a, "device"_a,
               "progress"_a.none(),
               nb::sig("def point_spread(problem: TrustProblem, points: "
                       "numpy.typing.NDArray[typing.Any], threads: int, device: str, progress: "
                       "object | None) -> list[typing.Any]"),
               "fermat.point_spread after its arguments are checked.");
    module.def("ensemble", &ensemble, "problem"_a, "options"_a, "threads"_a, "device"_a,
               "progress"_a.none(),
               nb::sig("def ensemble(problem: TrustProblem, options: dict[str, typing.Any], "
                       "threads: int, device: str, progress: object | None) -> "
                       "FoundEnsemble"),
               "fermat.ensemble after its arguments are checked.");
    module.def("cross_validate", &validated, "problem"_a, "choose"_a, "folds"_a, "by"_a, "seed"_a,
               "threads"_a, "device"_a, "progress"_a.none(),
               nb::sig("def cross_validate(problem: TrustProblem, choose: str, folds: int, by: "
                       "str, seed: int, threads: int, device: str, progress: object | None) -> "
                       "FoundValidation"),
               "fermat.cross_validate after its arguments are checked.");
}

}  // namespace fermat::python
