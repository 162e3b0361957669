#include "tomography/run_fingerprint.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/fingerprint.hpp"
#include "core/version.hpp"
#include "model/metric.hpp"
#include "tomography/gauss_newton/known_ground.hpp"
#include "tomography/layers/invert_layers.hpp"

namespace fermat {
namespace {

// The fields of a struct are named all at once, so that one that is added to it and forgotten here
// does not compile.

void add_coordinates(Fingerprint& print, const Model& model) {
    visit_numbers(model.coordinates(), [&](const char*, const auto& number) {
        if constexpr (std::is_same_v<decltype(number), const CoordinateNumbers::Axes&>) {
            for (const auto& axis : number) print.add(axis);
        } else {
            print.add(number);
        }
    });
    const auto& [kind, values] = model.anisotropy();
    print.add(kind);
    for (const Field<float>& each : values) {
        print.add(std::span<const float>(each.begin(), each.end()));
    }
}

void add_to(Fingerprint& print, const Model& model) {
    const auto& [shape, origin, spacing] = model.grid();
    for (int axis = 0; axis < 3; ++axis) {
        print.add(shape[axis]);
        print.add(origin[axis]);
        print.add(spacing[axis]);
    }
    print.add(model.cells() != nullptr);
    print.add(std::span<const float>(model.given().begin(), model.given().end()));
    print.add(!model.is_plain());
    if (!model.is_plain()) add_coordinates(print, model);
}

void add_place(Fingerprint& print, Vec3 place) {
    for (int axis = 0; axis < 3; ++axis) print.add(place[axis]);
}

/// Ids and is_2d change no number, but what the files of a run look like.
void add_arrivals(Fingerprint& print, const Survey& survey) {
    const auto& [events, stations, arrivals, has_errors, is_2d, differences] = survey;
    print.add(events.size());
    for (const auto& [position, origin_time, id, known] : events) {
        add_place(print, position);
        print.add(origin_time);
        print.add(std::string_view(id));
    }
    print.add(stations.size());
    for (const auto& [position, id] : stations) {
        add_place(print, position);
        print.add(std::string_view(id));
    }
    print.add(arrivals.size());
    for (const auto& [event, station, time, error, phase] : arrivals) {
        print.add(event);
        print.add(station);
        print.add(time);
        print.add(error);
        print.add(phase);
    }
    print.add(has_errors);
    print.add(is_2d);
}

/// What is known of events, and of pairs of them.
void add_known_events(Fingerprint& print, const Survey& survey) {
    const auto& events = survey.events;
    print.add(static_cast<std::size_t>(std::count_if(
        events.begin(), events.end(), [](const Event& event) { return event.known.any(); })));
    for (std::size_t e = 0; e < events.size(); ++e) {
        const auto& [place, time] = events[e].known;
        if (!place && !time) continue;
        print.add(static_cast<std::int32_t>(e));
        print.add(place);
        print.add(time);
    }
    print.add(survey.differences.size());
    for (const auto& [first, second, station, phase, kind, time, weight] : survey.differences) {
        print.add(first);
        print.add(second);
        print.add(station);
        print.add(phase);
        print.add(kind);
        print.add(time);
        print.add(weight);
    }
}

void add_to(Fingerprint& print, const Survey& survey) {
    add_arrivals(print, survey);
    add_known_events(print, survey);
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

template <class Options>
void add_table(Fingerprint& print, const Options& options) {
    for_each_option(options, [&](const auto& option, const auto& value) {
        print.add(option.name);
        add_to(print, value);
    });
}

void add_model(Fingerprint& print, const Model* model) {
    print.add(model != nullptr);
    if (model) add_to(print, *model);
}

void add_known(Fingerprint& print, const KnownGround& known) {
    const auto& [log, regions, interfaces, guide, prior, prior_deviation] = known;
    print.add(log.size());
    for (const auto& [point, velocity, error] : log) {
        add_place(print, point);
        print.add(velocity);
        print.add(error);
    }
    print.add(regions.size());
    for (const auto& [id, corners, velocity, error] : regions) {
        print.add(std::string_view(id));
        print.add(corners.size());
        for (const Vec3& corner : corners) add_place(print, corner);
        print.add(velocity);
        print.add(error);
    }
    print.add(interfaces.size());
    for (const auto& [id, points] : interfaces) {
        print.add(std::string_view(id));
        print.add(points.size());
        for (const Vec3& point : points) add_place(print, point);
    }
    add_model(print, guide.get());
    add_model(print, prior.get());
    print.add(prior_deviation);
}

/// Options of a run with what else than its first model and its arrivals it starts from.
void add_options(Fingerprint& print, const InversionOptions& options, bool cuda, const Model* of_s,
                 const Survey& picks) {
    add_table(print, options);
    print.add(cuda);
    print.add(options.update.step);
    add_model(print, options.gauss_newton.reference.get());
    print.add(options.gauss_newton.known != nullptr);
    if (options.gauss_newton.known) add_known(print, *options.gauss_newton.known);
    add_model(print, of_s);
    add_known_events(print, picks);
    print.add(options.schedule.size());
    for (const auto& [iterations, cell, vertex, cell_passes, vertex_passes] : options.schedule) {
        add_to(print, cell);
        add_to(print, vertex);
        print.add(iterations);
        print.add(cell_passes);
        print.add(vertex_passes);
    }
}
/// Of options alone.
void add_to(Fingerprint& print, const InversionOptions& options) {
    add_options(print, options, false, nullptr, {});
}

void add_to(Fingerprint& print, const Medium& medium) {
    for (const Phase phase : medium.phases()) add_to(print, medium.of(phase));
}

/// A run does not depend on it, but its ranks work it out together.
void add_to(Fingerprint& print, const JointTrustOptions& trust) {
    const auto& [resolution, deviation, solves, seed] = trust;
    print.add(resolution);
    print.add(deviation);
    print.add(solves);
    print.add(seed);
}

void add_to(Fingerprint& print, const BackprojectionOptions& options) {
    add_table(print, options.rays);
    add_table(print, options.rays.eikonal);
    add_table(print, options.rays.graph);
    print.add(options.rays.graph.solver);
    print.add(options.share);
}

template <class... Parts>
std::string fingerprint_of(const Parts&... parts) {
    Fingerprint print;
    add_to(print, parts...);
    return print.text();
}

}  // namespace

std::string run_fingerprint(const Medium& start, const Survey& picks,
                            const InversionOptions& options, Device device) {
    Fingerprint print;
    print.add(version);
    add_to(print, start.first());
    add_arrivals(print, picks);
    add_options(print, options, runs_on_cuda(options, device, start.first()),
                start.phases().size() > 1 ? &start.of(Phase::S) : nullptr, picks);
    return print.text();
}

std::string run_fingerprint(const LayeredMedium& start, const PhasePicks& picks,
                            const LayerInversionOptions& options) {
    Fingerprint print;
    print.add(version);
    for (int k = 0; k < start.layer_count(); ++k) {
        const auto& [p, s] = start.layers()[static_cast<std::size_t>(k)];
        add_to(print, p);
        print.add(s.has_value());
        if (s) add_to(print, *s);
        const Interface& top = start.top_of(k);
        const auto& [x0, y0, dx, dy, nx, ny] = top.lattice();
        for (const double number : {x0, y0, dx, dy}) print.add(number);
        print.add(nx);
        print.add(ny);
        print.add(std::string_view(top.id()));
        print.add(top.shape());
        print.add(std::span<const double>(top.depth()));
    }
    add_arrivals(print, picks.survey);
    for (const std::string& name : picks.phases) print.add(std::string_view(name));
    print.add(std::span<const std::int32_t>(picks.phase_of));
    add_options(print, options.loop, false, nullptr, picks.survey);
    add_table(print, options.prior);
    add_table(print, options.rays);
    for (const auto& [of, deviation, length] : options.prior.blocks) {
        print.add(std::string_view(of));
        print.add(deviation);
        print.add(length);
    }
    for (const auto& [interface, at, error] : options.prior.depths) {
        print.add(std::string_view(interface));
        add_place(print, at);
        print.add(error);
    }
    return print.text();
}

void require_same_run(Ranks& ranks, const Medium& start, const Survey& picks,
                      const InversionOptions& options) {
    if (ranks.size() == 1) return;
    require_same(ranks, {{"another version", std::string(version)},
                         {"another start model", fingerprint_of(start)},
                         {"other picks", fingerprint_of(picks)},
                         {"other options", fingerprint_of(options)},
                         {"other estimates", fingerprint_of(options.joint.trust)}});
}

void require_same_pass(Ranks& ranks, const Model& model, const Survey& picks,
                       const BackprojectionOptions& options) {
    if (ranks.size() == 1) return;
    require_same(ranks, {{"another model", fingerprint_of(model)},
                         {"other picks", fingerprint_of(picks)},
                         {"other options", fingerprint_of(options)}});
}

}  // namespace fermat
