#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "core/error.hpp"
#include "monitor.hpp"
#include "options.hpp"
#include "points.hpp"
#include "rays/rays.hpp"
#include "survey_columns.hpp"

namespace fermat::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Pairs = nb::ndarray<const std::int32_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;
using Corners = std::pair<std::array<double, 3>, std::array<double, 3>>;

/// Points and pairs of a call.
Survey survey_from(const Points& from, const Numbers& start_times, const Points& to,
                   const nb::object& which) {
    const double* const starts = column_of(start_times, from.shape(0), "start_time");
    std::vector<PointSource> sources;
    for (const Vec3 place : points_from(from, 0)) {
        sources.push_back({place, starts[sources.size()]});
    }
    const std::vector<Vec3> receivers = points_from(to, 0);
    if (which.is_none()) return survey_of(sources, receivers);
    const auto rows = nb::cast<Pairs>(which);
    std::vector<RayPair> pairs;
    for (std::size_t n = 0; n < rows.shape(0); ++n) {
        pairs.push_back({rows.data()[2 * n], rows.data()[2 * n + 1]});
    }
    return survey_of(sources, receivers, pairs);
}

Box box_from(const Corners& bounds) {
    const auto& [low, high] = bounds;
    return {{low[0], low[1], low[2]}, {high[0], high[1], high[2]}};
}

/// Calls a Python function from any thread; holds the GIL only during the call.
FunctionMedium::Velocity velocity_from(const nb::callable& function, bool is_2d) {
    return [&function, is_2d](Vec3 p) {
        const nb::gil_scoped_acquire gil;
        const nb::object value = is_2d ? function(p.x, p.z) : function(p.x, p.y, p.z);
        try {
            return nb::cast<double>(nb::float_(value));
        } catch (const nb::python_error&) {
            throw InputError("velocity returned " + std::string(nb::repr(value).c_str()) +
                             " (must be a number)");
        }
    };
}

RaySet bend_function(const nb::callable& velocity, const Corners& bounds, const Points& sources,
                     const Numbers& start_times, const Points& receivers, nb::object pairs,
                     const nb::dict& options, nb::object progress) {
    const bool is_2d = sources.shape(1) == 2;
    const Survey survey = survey_from(sources, start_times, receivers, pairs);
    const Keywords given(options);
    BendingOptions bending;
    given.fill(bending);
    const VelocityField field{velocity_from(velocity, is_2d), box_from(bounds), is_2d};
    PythonMonitor bridge(std::move(progress), given.whole("threads", 0));
    return bridge.run(
        [&](const Execution& execution) { return bend_rays(field, survey, bending, execution); });
}

RaySet bend_profile(const std::vector<std::pair<double, double>>& profile, const std::string& kind,
                    const Corners& bounds, const Points& sources, const Numbers& start_times,
                    const Points& receivers, nb::object pairs, const nb::dict& options,
                    nb::object progress) {
    std::vector<DepthVelocity> points;
    for (const auto& [depth, velocity] : profile) points.push_back({depth, velocity});
    const DepthMedium medium(points, parse_choice<Profile>(kind), box_from(bounds));
    const Survey survey = survey_from(sources, start_times, receivers, pairs);
    const Keywords given(options);
    BendingOptions bending;
    given.fill(bending);
    PythonMonitor bridge(std::move(progress), given.whole("threads", 0));
    return bridge.run(
        [&](const Execution& execution) { return bend_rays(medium, survey, bending, execution); });
}

nb::list start_names() {
    nb::list names;
    for (const auto& [name, value] : choices<RayStart>.entries) {
        names.append(nb::str(name.data(), name.size()));
    }
    return names;
}

std::vector<int> starts_of(const RaySet& set) {
    std::vector<int> starts;
    for (const RayInfo& ray : set.rays) starts.push_back(static_cast<int>(ray.start));
    return starts;
}

constexpr const char* survey_signature =
    "sources: numpy.typing.NDArray[typing.Any], start_times: numpy.typing.NDArray[typing.Any], "
    "receivers: numpy.typing.NDArray[typing.Any], pairs: numpy.typing.NDArray[typing.Any] | None, "
    "options: dict[str, typing.Any], progress: object | None) -> "
    "RaySet";

}  // namespace

void bind_bending(nb::module_& module) {
    const std::string bounds =
        "bounds: tuple[tuple[float, float, float], tuple[float, float, float]], ";
    static const std::string function_signature =
        "def bend_function(velocity: typing.Callable[..., float], " + bounds + survey_signature;
    static const std::string profile_signature =
        "def bend_profile(profile: list[tuple[float, float]], kind: str, " + bounds +
        survey_signature;
    module.def("bend_function", &bend_function, "velocity"_a, "bounds"_a, "sources"_a,
               "start_times"_a, "receivers"_a, "pairs"_a.none(), "options"_a, "progress"_a.none(),
               nb::sig(function_signature.c_str()), "Rays by bending in a velocity function.");
    module.def("bend_profile", &bend_profile, "profile"_a, "kind"_a, "bounds"_a, "sources"_a,
               "start_times"_a, "receivers"_a, "pairs"_a.none(), "options"_a, "progress"_a.none(),
               nb::sig(profile_signature.c_str()),
               "Rays by bending in a velocity that depends on depth alone.");
    module.def("ray_starts", &starts_of, "rays"_a,
               nb::sig("def ray_starts(rays: RaySet) -> list[int]"),
               "Which start of each ray won, as an index into ray_start_names().");
    module.def("ray_start_names", &start_names, nb::sig("def ray_start_names() -> list[str]"),
               "Names of the values of ray_starts().");
}

}  // namespace fermat::python
