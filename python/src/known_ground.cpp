#include "known_ground.hpp"

#include <nanobind/stl/string.h>

#include <optional>
#include <string>
#include <utility>

#include "io/known_io.hpp"
#include "points.hpp"
#include "warn.hpp"

namespace fermat::python {

namespace nb = nanobind;

namespace {

/// The file that a keyword names; nothing where it is not given, or is a table.
std::optional<std::string> file_of(const Keywords& given, const char* name) {
    if (!given.has(name) || !nb::isinstance<nb::str>(given.take<nb::object>(name))) return {};
    return given.take<std::string>(name);
}

/// Tuples (id, points) or (id, points, velocity, error) of a keyword that names no file.
nb::list parts_of(const Keywords& given, const char* name) {
    return given.has(name) && !file_of(given, name) ? given.take<nb::list>(name) : nb::list();
}

}  // namespace

std::shared_ptr<const KnownGround> known_ground(const Keywords& given) {
    KnownGround known;
    Notes notes;
    if (const auto path = file_of(given, "log")) {
        known.log = read_log(*path, notes);
    } else if (given.has("log")) {
        const auto columns = given.take<nb::tuple>("log");
        const std::vector<Vec3> points = points_from(nb::cast<Points>(columns[0]), 0);
        const auto velocity = nb::cast<Numbers>(columns[1]);
        const auto error = nb::cast<Numbers>(columns[2]);
        for (std::size_t n = 0; n < points.size(); ++n) {
            known.log.push_back({points[n], velocity.data()[n], error.data()[n]});
        }
    }
    if (const auto path = file_of(given, "regions")) known.regions = read_regions(*path, notes);
    if (const auto path = file_of(given, "edges")) {
        known.interfaces = read_interfaces(*path, notes);
    }
    warn(notes);
    for (const nb::handle part : parts_of(given, "regions")) {
        const auto one = nb::cast<nb::tuple>(part);
        known.regions.push_back({nb::cast<std::string>(one[0]),
                                 points_from(nb::cast<Points>(one[1]), 0), nb::cast<double>(one[2]),
                                 nb::cast<double>(one[3])});
    }
    for (const nb::handle part : parts_of(given, "edges")) {
        const auto one = nb::cast<nb::tuple>(part);
        known.interfaces.push_back(
            {nb::cast<std::string>(one[0]), points_from(nb::cast<Points>(one[1]), 0)});
    }
    const auto model = [&](const char* name) -> std::shared_ptr<const Model> {
        if (!given.has(name)) return nullptr;
        return std::make_shared<const Model>(given.take<const Model*>(name)->copy());
    };
    known.guide = model("guide");
    known.prior = model("prior_model");
    if (given.has("prior_deviation")) known.prior_deviation = given.take<double>("prior_deviation");
    if (!known.holds_velocities() && !known.holds_edges()) return nullptr;
    return std::make_shared<const KnownGround>(std::move(known));
}

}  // namespace fermat::python
