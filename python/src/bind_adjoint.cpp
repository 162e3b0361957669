#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "bindings.hpp"
#include "core/error.hpp"
#include "core/teams.hpp"
#include "eikonal/adjoint/adjoint.hpp"
#include "found_gradient.hpp"
#include "monitor.hpp"
#include "numpy.hpp"
#include "options.hpp"
#include "points.hpp"

namespace fermat::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Values = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

Field<double> copied(const std::optional<Values>& values) {
    if (!values) return {};
    Field<double> field(shape_of(nb::ndarray<nb::ro>(*values), "slowness"));
    std::copy_n(values->data(), field.size(), field.data());
    return field;
}

/// Differentiable times of a model: sources, receivers, and the fields where they are kept.
class DifferentiableTimes {
  public:
    DifferentiableTimes(const Model& model, const std::optional<Values>& slowness,
                        const Points& sources, const Numbers& start_times, const Points& receivers,
                        const std::string& solver, int order, const std::string& precision,
                        const std::string& device)
        : model_(model),
          exact_(copied(slowness)),
          survey_(model_, exact_, sources_from(sources, start_times, model_.grid()),
                  points_from(receivers, model_.grid().origin.y),
                  {parse_choice<Solver>(solver), order}),
          device_(device) {
        const bool full = parse_choice<Precision>(precision) == Precision::full;
        if (full) {
            fields_ = Fields<double>{};
        } else if (!exact_.empty()) {
            throw InputError("slowness is given (precision must be 'double' to make use of it)");
        }
        cuda_ = on_cuda(parse_choice<Device>(device),
                        full ? "the adjoint in double precision computes on the CPU"
                             : adjoint_obstacle(survey_));
    }
    DifferentiableTimes(const DifferentiableTimes&) = delete;
    DifferentiableTimes& operator=(const DifferentiableTimes&) = delete;

    /// Times at receivers, row-major by source, or at nodes; the fields stay where `keep` says so
    /// and the CPU computes.
    nb::object solve(bool at_nodes, bool keep, int threads, nb::object progress) {
        PythonMonitor bridge(std::move(progress), threads, device_);
        return std::visit(
            [&](auto& fields) {
                return nb::cast(array_from(bridge.run(
                    [&](const Execution& e) { return times(fields, at_nodes, keep, e); })));
            },
            fields_);
    }

    FoundGradient gradient(const std::optional<Values>& by_nodes,
                           const std::optional<Values>& by_receivers, int threads,
                           nb::object progress) const {
        const std::size_t count = survey_.sources().size();
        const std::size_t nodes = model_.grid().node_count();
        const std::size_t receivers = survey_.receivers().size();
        require_size(by_nodes, count * nodes, "nodes");
        require_size(by_receivers, count * receivers, "receivers");
        const auto derivatives = [&](std::size_t n) {
            TimeDerivatives by;
            if (by_nodes) by.nodes = {by_nodes->data() + n * nodes, model_.grid().shape};
            if (by_receivers) by.receivers = {by_receivers->data() + n * receivers, receivers};
            return by;
        };
        PythonMonitor bridge(std::move(progress), threads, device_);
        AdjointGradient found = std::visit(
            [&](const auto& fields) {
                using Real = typename std::remove_cvref_t<decltype(fields)>::Real;
                const Derive<Real> derive = [&](std::size_t n, const auto&) {
                    return derivatives(n);
                };
                return bridge.run([&](const Execution& execution) {
                    if (cuda_) return on_device(by_nodes, by_receivers, execution);
                    using Solved = BasicTimeField<Real>;
                    return fields.kept.empty()
                               ? adjoint<Real>(survey_, derive, execution)
                               : adjoint<Real>(survey_, std::span<const Solved>(fields.kept),
                                               derive, execution);
                });
            },
            fields_);
        return found_gradient(std::move(found), model_.grid().is_2d());
    }

  private:
    template <class Number>
    struct Fields {
        using Real = Number;
        std::vector<BasicTimeField<Real>> kept;
    };

    static void require_size(const std::optional<Values>& by, std::size_t size, const char* what) {
        if (!by || by->size() == size) return;
        throw InputError(fmt::format("there are {} derivatives by times at {} (must be {})",
                                     by->size(), what, size));
    }

    AdjointGradient on_device(const std::optional<Values>& by_nodes,
                              const std::optional<Values>& by_receivers,
                              const Execution& execution) const {
        const Shape shape = model_.grid().shape;
        TimeObjective objective;
        if (by_nodes) {
            objective.nodes = [&](std::size_t n) {
                return FieldView<const double>(by_nodes->data() + n * shape.count(), shape);
            };
        }
        if (by_receivers) {
            objective.receivers = [&](std::size_t n, std::span<const double> times,
                                      std::span<double> by) {
                std::copy_n(by_receivers->data() + n * times.size(), times.size(), by.begin());
            };
        }
        return adjoint(survey_, objective, execution.on(Device::cuda));
    }

    template <class Real>
    std::vector<Real> times(Fields<Real>& fields, bool at_nodes, bool keep,
                            const Execution& execution) {
        const std::size_t count = survey_.sources().size();
        const std::span<const Vec3> receivers = survey_.receivers();
        const Shape shape = model_.grid().shape;
        const std::size_t width = at_nodes ? shape.count() : receivers.size();
        std::vector<Real> times(count * width);
        fields.kept.clear();
        keep &= !cuda_;  // the device solves again, which takes less than sending fields
        fields.kept.resize(keep ? count : 0);
        Monitor& monitor = execution.monitor;
        monitor.begin("first arrivals", static_cast<std::int64_t>(count));
        const int threads = cuda_ ? 1 : resolve_threads(execution.threads);
        for_each_by_teams(static_cast<std::int64_t>(count), threads, [&](std::int64_t i, int team) {
            monitor.check();
            const auto n = static_cast<std::size_t>(i);
            const Execution own = execution.with_threads(team).heard_by(silent_monitor());
            auto field = solved<Real>(n, own);
            Real* const out = times.data() + n * width;
            if (at_nodes) {
                write_times(field, FieldView<Real>(out, shape));
            } else {
                for (std::size_t r = 0; r < width; ++r) {
                    out[r] = static_cast<Real>(time_at(field, receivers[r]));
                }
            }
            if (keep) fields.kept[n] = std::move(field);
            monitor.advance();
        });
        monitor.end();
        return times;
    }

    template <class Real>
    BasicTimeField<Real> solved(std::size_t n, const Execution& execution) const {
        if constexpr (std::is_same_v<Real, float>) {
            if (cuda_) {
                return fermat::solve<float>(model_, survey_.sources()[n], survey_.options(),
                                            execution.on(Device::cuda));
            }
        }
        return survey_.template solve<Real>(n, execution);
    }

    Model model_;
    Field<double> exact_;
    AdjointSurvey survey_;
    bool cuda_ = false;
    std::string device_;
    std::variant<Fields<float>, Fields<double>> fields_;
};

}  // namespace

FoundGradient found_gradient(AdjointGradient found, bool is_2d) {
    FoundGradient out;
    out.slowness = nb::cast(array_of(std::move(found.slowness)));
    out.sources = nb::cast(rows_of(found.sources, is_2d));
    out.start_times = nb::cast(array_from(std::move(found.start_times)));
    out.receivers = nb::cast(rows_of(found.receivers, is_2d));
    out.unsettled = found.unsettled;
    return out;
}

void bind_adjoint(nb::module_& module) {
    nb::class_<FoundGradient>(module, "FoundGradient",
                              "Derivatives of an objective by all that times depend on.")
        .def_ro(
            "slowness", &FoundGradient::slowness,
            nb::for_getter(nb::sig("def slowness(self) -> numpy.typing.NDArray[numpy.float64]")))
        .def_ro("sources", &FoundGradient::sources,
                nb::for_getter(nb::sig("def sources(self) -> numpy.typing.NDArray[numpy.float64]")),
                "None where the wave starts from a front.")
        .def_ro(
            "start_times", &FoundGradient::start_times,
            nb::for_getter(nb::sig("def start_times(self) -> numpy.typing.NDArray[numpy.float64]")))
        .def_ro(
            "receivers", &FoundGradient::receivers,
            nb::for_getter(nb::sig("def receivers(self) -> numpy.typing.NDArray[numpy.float64]")))
        .def_ro("unsettled", &FoundGradient::unsettled,
                "Nodes whose equations are not solved: derivatives through them are not exact.")
        .def_ro("anisotropy", &FoundGradient::anisotropy,
                nb::for_getter(nb::sig(
                    "def anisotropy(self) -> dict[str, numpy.typing.NDArray[numpy.float64]]")),
                "By parameters of anisotropy on nodes; empty in isotropic media.")
        .def_ro("notes", &FoundGradient::notes,
                nb::for_getter(nb::sig("def notes(self) -> list[str]")));
    nb::class_<DifferentiableTimes>(module, "DifferentiableTimes",
                                    "Times of a survey and their derivatives; see fermat.adjoint.")
        .def(nb::init<const Model&, const std::optional<Values>&, const Points&, const Numbers&,
                      const Points&, const std::string&, int, const std::string&,
                      const std::string&>(),
             "model"_a, "slowness"_a.none(), "sources"_a, "start_times"_a, "receivers"_a,
             "solver"_a, "order"_a, "precision"_a, "device"_a,
             nb::sig("def __init__(self, model: Model, slowness: "
                     "numpy.typing.NDArray[numpy.float64] | None, sources: "
                     "numpy.typing.NDArray[typing.Any], start_times: "
                     "numpy.typing.NDArray[typing.Any], receivers: "
                     "numpy.typing.NDArray[typing.Any], solver: str, order: int, precision: str, "
                     "device: str) -> None"))
        .def("solve", &DifferentiableTimes::solve, "at_nodes"_a, "keep"_a, "threads"_a,
             "progress"_a.none(),
             nb::sig("def solve(self, at_nodes: bool, keep: bool, threads: int, progress: object | "
                     "None) -> numpy.typing.NDArray[typing.Any]"),
             "Times at nodes or receivers, flat; the fields stay for `gradient` if `keep`.")
        .def("gradient", &DifferentiableTimes::gradient, "by_nodes"_a.none(),
             "by_receivers"_a.none(), "threads"_a, "progress"_a.none(),
             nb::sig("def gradient(self, by_nodes: numpy.typing.NDArray[numpy.float64] | None, "
                     "by_receivers: numpy.typing.NDArray[numpy.float64] | None, threads: int, "
                     "progress: object | None) -> FoundGradient"),
             "dJ from dJ/dT at nodes or receivers.");
}

}  // namespace fermat::python
