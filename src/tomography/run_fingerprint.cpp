#include "tomography/run_fingerprint.hpp"

#include <optional>
#include <span>
#include <type_traits>

#include "core/fingerprint.hpp"
#include "core/version.hpp"
#include "model/metric.hpp"

namespace fermat {
namespace {

void add_to(Fingerprint& print, const Metric& metric) {
    const CoordinateNumbers& numbers = metric.coordinates();
    print.add(numbers.system);
    print.add(numbers.radius);
    print.add(numbers.geodetic);
    for (const auto& axis : numbers.axes) print.add(std::span<const double>(axis));
    print.add(std::span<const double>(numbers.surface));
    print.add(metric.anisotropy().kind);
    for (const Field<float>& values : metric.anisotropy().values) {
        print.add(std::span<const float>(values.begin(), values.end()));
    }
}

void add_to(Fingerprint& print, const Model& model) {
    const Grid& grid = model.grid();
    for (int axis = 0; axis < 3; ++axis) {
        print.add(grid.shape[axis]);
        print.add(grid.origin[axis]);
        print.add(grid.spacing[axis]);
    }
    print.add(model.cells() != nullptr);
    print.add(std::span<const float>(model.given().begin(), model.given().end()));
    if (model.metric()) add_to(print, *model.metric());
}

void add_to(Fingerprint& print, const Survey& picks) {
    const auto add_points = [&](const auto& points) {
        print.add(points.size());
        for (const auto& point : points) {
            for (int axis = 0; axis < 3; ++axis) print.add(point.position[axis]);
        }
    };
    add_points(picks.events);
    add_points(picks.stations);
    for (const Event& event : picks.events) print.add(event.origin_time);
    for (const Arrival& pick : picks.arrivals) {
        print.add(pick.event);
        print.add(pick.station);
        print.add(pick.time);
        print.add(pick.error);
        print.add(pick.phase);
    }
    print.add(picks.has_errors);
}

template <class Value>
requires(std::is_arithmetic_v<Value> || std::is_enum_v<Value>) void add_to(Fingerprint& print,
                                                                           Value value) {
    print.add(value);
}
void add_to(Fingerprint& print, const std::optional<double>& value) {
    print.add(value.has_value());
    print.add(value.value_or(0));
}
void add_to(Fingerprint& print, const StartSet& starts) {
    print.add(std::string_view(to_string(starts)));
}
template <class Triple>
requires requires(const Triple& triple) { triple[0]; }
void add_to(Fingerprint& print, const Triple& values) {
    for (int axis = 0; axis < 3; ++axis) print.add(values[axis]);
}

void add_to(Fingerprint& print, const InversionOptions& options, bool cuda) {
    for_each_option(options, [&](const auto& option, const auto& value) {
        print.add(option.name);
        add_to(print, value);
    });
    print.add(cuda);
    print.add(options.update.step);
    print.add(options.gauss_newton.reference != nullptr);
    if (options.gauss_newton.reference) add_to(print, *options.gauss_newton.reference);
    print.add(options.joint.s_start != nullptr);
    if (options.joint.s_start) add_to(print, *options.joint.s_start);
    for (const KnownEvent& known : options.joint.known) {
        print.add(known.event);
        print.add(known.place);
        print.add(known.time);
    }
    for (const TimeDifference& one : options.joint.differences) {
        print.add(one.first);
        print.add(one.second);
        print.add(one.station);
        print.add(one.phase);
        print.add(one.kind);
        print.add(one.time);
        print.add(one.weight);
    }
    for (const Stage& stage : options.schedule) {
        add_to(print, stage.cell);
        add_to(print, stage.vertex);
        print.add(stage.iterations);
        print.add(stage.cell_passes);
        print.add(stage.vertex_passes);
    }
}

void add_to(Fingerprint& print, const BackprojectionOptions& options) {
    print.add(options.rays.tracer);
    print.add(options.rays.directions);
    print.add(options.rays.eikonal.solver);
    print.add(options.rays.eikonal.order);
    add_to(print, options.rays.bending.starts);
    print.add(options.rays.bending.segment);
    add_to(print, options.rays.graph.radius);
    print.add(options.share);
}

template <class... Parts>
std::string fingerprint_of(const Parts&... parts) {
    Fingerprint print;
    add_to(print, parts...);
    return print.text();
}

}  // namespace

std::string run_fingerprint(const Model& start, const Survey& picks,
                            const InversionOptions& options, Device device) {
    Fingerprint print;
    print.add(version);
    add_to(print, start);
    add_to(print, picks);
    add_to(print, options, runs_on_cuda(options, device, start));
    return print.text();
}

void require_same_run(Ranks& ranks, const Model& start, const Survey& picks,
                      const InversionOptions& options) {
    if (ranks.size() == 1) return;
    require_same(ranks, {{"another version", std::string(version)},
                         {"another start model", fingerprint_of(start)},
                         {"other picks", fingerprint_of(picks)},
                         {"other options", fingerprint_of(options, false)}});
}

void require_same_pass(Ranks& ranks, const Model& model, const Survey& picks,
                       const BackprojectionOptions& options) {
    if (ranks.size() == 1) return;
    require_same(ranks, {{"another model", fingerprint_of(model)},
                         {"other picks", fingerprint_of(picks)},
                         {"other options", fingerprint_of(options)}});
}

}  // namespace fermat
