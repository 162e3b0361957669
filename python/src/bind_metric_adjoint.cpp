#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "core/error.hpp"
#include "core/teams.hpp"
#include "eikonal/adjoint/metric_adjoint.hpp"
#include "eikonal/metric/factor.hpp"
#include "found_gradient.hpp"
#include "model/metric.hpp"
#include "monitor.hpp"
#include "numpy.hpp"
#include "options.hpp"
#include "points.hpp"
#include "rays/ray_set.hpp"

namespace fermat::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Values = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

/// Differentiable times of a model with a metric, with the methods of DifferentiableTimes.
class MetricDifferentiableTimes {
  public:
    MetricDifferentiableTimes(const Model& model, const std::optional<Values>& slowness,
                              const Points& sources, const Numbers& start_times,
                              const Points& receivers, int order, const std::string& device)
        : model_(model), device_(device) {
        if (slowness) {
            exact_ = Field<double>(shape_of(nb::ndarray<nb::ro>(*slowness), "slowness"));
            std::copy_n(slowness->data(), exact_.size(), exact_.data());
        }
        const FieldView<const double> exact =
            slowness ? FieldView<const double>(exact_) : FieldView<const double>();
        times_ = std::make_unique<MetricTimes>(
            model_, exact, sources_from(sources, start_times, model_.grid()),
            points_from(receivers, model_.grid().origin.y), EikonalOptions{Solver::fim, order},
            Execution{.threads = 1, .device = parse_choice<Device>(device)});
    }

    nb::object solve(bool at_nodes, bool keep, int threads, nb::object progress) {
        PythonMonitor bridge(std::move(progress), threads, device_);
        return nb::cast(
            array_from(bridge.run([&](const Execution& e) { return times(at_nodes, keep, e); })));
    }

    FoundGradient gradient(const std::optional<Values>& by_nodes,
                           const std::optional<Values>& by_receivers, int threads,
                           nb::object progress) const {
        const std::size_t nodes = model_.grid().node_count();
        const std::size_t receivers = times_->receiver_count();
        require_size(by_nodes, times_->source_count() * nodes, "nodes");
        require_size(by_receivers, times_->source_count() * receivers, "receivers");
        const auto derive = [&](std::size_t n, const MetricTimes::Solved&) {
            TimeDerivatives by;
            if (by_nodes) by.nodes = {by_nodes->data() + n * nodes, model_.grid().shape};
            if (by_receivers) by.receivers = {by_receivers->data() + n * receivers, receivers};
            return by;
        };
        PythonMonitor bridge(std::move(progress), threads, device_);
        AdjointGradient found = bridge.run(
            [&](const Execution& e) { return times_->gradient(kept_, derive, true, e); });
        nb::dict anisotropy = by_parameters(std::move(found.anisotropy));
        FoundGradient out = found_gradient(std::move(found), model_.grid().is_2d());
        out.anisotropy = std::move(anisotropy);
        return out;
    }

  private:
    static void require_size(const std::optional<Values>& by, std::size_t size, const char* what) {
        if (!by || by->size() == size) return;
        throw InputError(fmt::format("there are {} derivatives by times at {} (must be {})",
                                     by->size(), what, size));
    }

    /// By names of parameters: the axis of Thomsen's medium as tilt and azimuth, per degree.
    nb::dict by_parameters(std::vector<Field<double>> by) const {
        nb::dict out;
        const bool thomsen = model_.has_thomsen();
        if (thomsen) {
            constexpr double degree = 3.14159265358979323846 / 180;
            for (std::size_t n = 0; n < by[0].size(); ++n) {
                const Vec3 axis = model_.metric()->thomsen(n).axis;
                const double across = std::hypot(axis.x, axis.y);
                const double c = across > 0 ? axis.x / across : 1;
                const double s = across > 0 ? axis.y / across : 0;
                const double x = by[2][n];
                const double y = by[3][n];
                by[2][n] = degree * (axis.z * (c * x + s * y) - across * by[4][n]);
                by[3][n] = degree * across * (c * y - s * x);
            }
            by.pop_back();
        }
        constexpr const char* thomsen_names[] = {"epsilon", "delta", "tilt", "azimuth"};
        constexpr const char* tensor_names[] = {"xx", "yy", "zz", "xy", "xz", "yz"};
        const bool flat = model_.grid().is_2d();
        for (std::size_t n = 0; n < by.size(); ++n) {
            const bool is_y = thomsen ? n == 3 : n == 1 || n == 3 || n == 5;
            if (flat && is_y) continue;
            const char* const name = thomsen ? thomsen_names[n] : tensor_names[n];
            out[name] = array_of(std::move(by[n]));
        }
        return out;
    }

    std::vector<double> times(bool at_nodes, bool keep, const Execution& execution) {
        const std::size_t count = times_->source_count();
        const Shape shape = model_.grid().shape;
        const std::size_t width = at_nodes ? shape.count() : times_->receiver_count();
        std::vector<double> out(count * width);
        kept_.clear();
        kept_.resize(keep ? count : 0);
        Monitor& monitor = execution.monitor;
        monitor.begin("first arrivals", static_cast<std::int64_t>(count));
        const auto one = [&](std::int64_t i, int team) {
            monitor.check();
            const auto n = static_cast<std::size_t>(i);
            const auto field =
                times_->solve(n, execution.with_threads(team).heard_by(silent_monitor()));
            double* const to = out.data() + n * width;
            if (at_nodes) {
                times_->write_times(*field, FieldView<double>(to, shape));
            } else {
                for (std::size_t r = 0; r < width; ++r) to[r] = times_->receiver_time(*field, r);
            }
            if (keep) kept_[n] = field;
            monitor.advance();
        };
        const int threads = resolve_threads(execution.threads);
        if (times_->on_device()) {
            for (std::size_t n = 0; n < count; ++n) one(static_cast<std::int64_t>(n), threads);
        } else {
            for_each_by_teams(static_cast<std::int64_t>(count), threads, one);
        }
        monitor.end();
        return out;
    }

    Model model_;
    std::string device_;
    Field<double> exact_;
    std::unique_ptr<MetricTimes> times_;
    std::vector<std::shared_ptr<const MetricTimes::Solved>> kept_;
};

/// The slowness vector of the wave along a short piece of a ray, in the coordinates of users: the
/// derivative of the time by the piece's end.
Vec3 end_slope(const Model& model, Vec3 from, Vec3 to) {
    const Vec3 a = model.place().nearest(from);
    const Vec3 b = model.place().nearest(to);
    const Vec3 middle = 0.5 * (a + b);
    if (model.is_plain()) {
        const double length = norm(b - a);
        return length > 0 ? (slowness_at(model, middle) / length) * (b - a) : Vec3{};
    }
    const Mapping& mapping = model.mapping();
    const Vec3 d = mapping.place(b) - mapping.place(a);
    if (!(norm(d) > 0)) return {};
    return transposed(mapping.user_jacobian(b)) * line_slowness(model, middle, d);
}

nb::tuple ray_end_slopes(const Model& model, const RaySet& rays) {
    std::vector<Vec3> sources(rays.size());
    std::vector<Vec3> receivers(rays.size());
    for (std::size_t r = 0; r < rays.size(); ++r) {
        const auto path = rays.path(r);
        if (!has_arrived(rays.rays[r].status) || path.size() < 2) continue;
        receivers[r] = end_slope(model, path[1], path[0]);
        sources[r] = end_slope(model, path[path.size() - 2], path[path.size() - 1]);
    }
    const bool flat = model.grid().is_2d();
    return nb::make_tuple(rows_of(sources, flat), rows_of(receivers, flat));
}

const char* gradient_kind(const Model& model) {
    if (model.jumping_cells().exist() || !model.coordinates().jumps.empty()) return "rays";
    return model.is_plain() ? "plain" : "metric";
}

}  // namespace

void bind_metric_adjoint(nb::module_& module) {
    module.def(
        "with_velocity",
        [](const Model& model, const nb::handle& velocity) {
            const HostValues given = values_from_array(velocity, "velocity");
            const Shape shape = model.given().shape();
            if (given.values.shape() != shape) {
                throw InputError(fmt::format("velocity has shape {} (must be {}, as the model's)",
                                             to_string(given.values.shape()), to_string(shape)));
            }
            Field<float> copied(shape);
            std::copy_n(given.values.data(), copied.size(), copied.data());
            return model.with_given(std::move(copied));
        },
        "model"_a, "velocity"_a,
        nb::sig("def with_velocity(model: Model, velocity: numpy.typing.ArrayLike) -> Model"),
        "A model of the same grid, coordinates and anisotropy with other velocities.");
    module.def("gradient_kind", &gradient_kind, "model"_a,
               "How times are differentiated: 'plain', 'metric' or, where velocity jumps, 'rays'.");
    module.def(
        "ray_end_slopes", &ray_end_slopes, "model"_a, "rays"_a,
        nb::sig("def ray_end_slopes(model: Model, rays: RaySet) -> tuple[numpy.typing.NDArray["
                "numpy.float64], numpy.typing.NDArray[numpy.float64]]"),
        "Derivatives of the times of rays by the positions of source and receiver.");
    nb::class_<MetricDifferentiableTimes>(
        module, "MetricTimes",
        "Times in curved coordinates and anisotropic media, and their derivatives; see "
        "fermat.adjoint.")
        .def(nb::init<const Model&, const std::optional<Values>&, const Points&, const Numbers&,
                      const Points&, int, const std::string&>(),
             "model"_a, "slowness"_a.none(), "sources"_a, "start_times"_a, "receivers"_a, "order"_a,
             "device"_a = "cpu",
             nb::sig("def __init__(self, model: Model, slowness: "
                     "numpy.typing.NDArray[numpy.float64] | None, sources: "
                     "numpy.typing.NDArray[typing.Any], start_times: "
                     "numpy.typing.NDArray[typing.Any], receivers: "
                     "numpy.typing.NDArray[typing.Any], order: int, device: str = 'cpu') -> None"))
        .def("solve", &MetricDifferentiableTimes::solve, "at_nodes"_a, "keep"_a, "threads"_a,
             "progress"_a.none(),
             nb::sig("def solve(self, at_nodes: bool, keep: bool, threads: int, progress: object | "
                     "None) -> numpy.typing.NDArray[numpy.float64]"),
             "Times at nodes or receivers, flat; the fields stay for `gradient` if `keep`.")
        .def("gradient", &MetricDifferentiableTimes::gradient, "by_nodes"_a.none(),
             "by_receivers"_a.none(), "threads"_a, "progress"_a.none(),
             nb::sig("def gradient(self, by_nodes: numpy.typing.NDArray[numpy.float64] | None, "
                     "by_receivers: numpy.typing.NDArray[numpy.float64] | None, threads: int, "
                     "progress: object | None) -> FoundGradient"),
             "dJ from dJ/dT at nodes or receivers.");
}

}  // namespace fermat::python
