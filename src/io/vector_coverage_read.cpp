#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "core/error.hpp"
#include "io/input_file.hpp"
#include "io/text.hpp"
#include "io/vector_coverage.hpp"
#include "io/xml.hpp"

namespace fermat {
namespace {

constexpr std::array<std::string_view, 4> known_elements = {"shotpoint", "receiver", "pick_time",
                                                            "trajectory"};

/// A ray element; its numbers are checked.
class RayElement {
  public:
    explicit RayElement(const XmlElement& element) : element_(element) {}

    std::int32_t index(std::string_view name) const {
        const auto text = element_.attribute(name);
        const auto value = text ? parse_integer(*text) : std::nullopt;
        if (!value || *value < 0 || *value > std::numeric_limits<std::int32_t>::max()) {
            throw InputError(fmt::format("its {} is {} (must be a number from 0 on)", name,
                                         text ? in_quotes(*text) : "missing"));
        }
        return static_cast<std::int32_t>(*value);
    }
    double pick_time() const {
        const std::string_view text = child("pick_time").text;
        const auto value = parse_number(trim(text));
        if (!value || !std::isfinite(*value)) {
            throw InputError(fmt::format("its pick time is {} (must be a finite number)",
                                         in_quotes(trim(text))));
        }
        return *value;
    }
    Vec3 point(std::string_view name) const { return point_of(child(name)); }

    std::vector<Vec3> trajectory() const {
        const XmlElement& element = child("trajectory");
        std::vector<Vec3> points;
        points.reserve(element.children.size());
        for (const XmlElement& vertex : element.children) {
            if (vertex.name != "vertex") {
                throw InputError(fmt::format("its trajectory holds an element {} (must be vertex)",
                                             in_quotes(vertex.name)));
            }
            points.push_back(point_of(vertex));
        }
        const auto told = element.attribute("vertices");
        const bool same = !told || parse_integer(*told) == static_cast<std::int64_t>(points.size());
        if (points.empty() || !same) {
            throw InputError(fmt::format(
                "its trajectory has {} vertices{}", points.size(),
                points.empty() ? " (must be at least 1)"
                               : fmt::format(" and says {} (is it cut?)", in_quotes(*told))));
        }
        return points;
    }

  private:
    const XmlElement& child(std::string_view name) const {
        if (const XmlElement* found = element_.child(name)) return *found;
        throw InputError(fmt::format("it has no element {}", name));
    }
    static Vec3 point_of(const XmlElement& element) {
        Vec3 point;
        for (int axis = 0; axis < 3; ++axis) {
            const std::string_view name =
                std::string_view("xyz").substr(static_cast<std::size_t>(axis), 1);
            const auto text = element.attribute(name);
            const auto value = text ? parse_number(*text) : std::nullopt;
            if (!value || !std::isfinite(*value)) {
                throw InputError(fmt::format("{} of a {} is {} (must be a finite number)", name,
                                             in_quotes(element.name),
                                             text ? in_quotes(*text) : "missing"));
            }
            point[axis] = *value;
        }
        return point;
    }

    const XmlElement& element_;
};

double length_of(std::span<const Vec3> path) {
    double length = 0;
    for (std::size_t n = 1; n < path.size(); ++n) length += distance(path[n - 1], path[n]);
    return length;
}

/// What a reader has to tell at the end.
struct Oddities {
    std::size_t others = 0;  ///< elements of other names
    std::size_t astray = 0;  ///< trajectories between other points
};

void add_ray(const XmlElement& element, VectorCoverage& out, Oddities& odd) {
    const RayElement ray(element);
    RayInfo info;
    info.source = ray.index("source");
    info.receiver = ray.index("receiver");
    info.time = info.field_time = std::numeric_limits<double>::quiet_NaN();
    const std::vector<Vec3> path = ray.trajectory();
    info.length = length_of(path);
    const Vec3 receiver = ray.point("receiver");
    const Vec3 shotpoint = ray.point("shotpoint");
    if (path.front() != receiver || path.back() != shotpoint) ++odd.astray;
    out.pick_times.push_back(ray.pick_time());
    out.rays.append(info, path);
    for (const XmlElement& child : element.children) {
        odd.others += std::find(known_elements.begin(), known_elements.end(), child.name) ==
                              known_elements.end()
                          ? 1U
                          : 0U;
    }
}

VectorCoverage read_rays_of(std::string_view text, Oddities& odd) {
    constexpr std::string_view root = "vector_coverage";
    const XmlDocument head = parse_xml(text, root);
    if (head.stopped_at == std::string_view::npos) {
        if (head.root.name == root) return {};  // <vector_coverage/>
        throw InputError(
            fmt::format("its root is {} (must be {})", in_quotes(head.root.name), root));
    }
    if (head.root.name != root) {
        throw InputError(
            fmt::format("its root is {} (must be {})", in_quotes(head.root.name), root));
    }
    VectorCoverage out;
    std::size_t at = head.stopped_at;
    for (;;) {
        at = skip_xml_remarks(text, at);
        if (text.substr(at).starts_with("</")) break;
        const XmlDocument next = parse_xml(text.substr(at), "");
        at += next.end;
        if (next.root.name != "ray") {
            ++odd.others;
            continue;
        }
        try {
            add_ray(next.root, out, odd);
        } catch (const InputError& error) {
            throw InputError(fmt::format("ray {}: {}", out.rays.size() + 1, error.what()));
        }
    }
    const std::string_view end = text.substr(at + 2);
    if (!end.starts_with(root) || trim(end.substr(root.size())).substr(0, 1) != ">") {
        throw InputError(fmt::format("is not XML that can be read: </{}> is missing", root));
    }
    return out;
}

}  // namespace

VectorCoverage read_vector_coverage(const std::filesystem::path& path, Notes& notes) {
    const std::string text = read_whole_file(path);
    Oddities odd;
    VectorCoverage out;
    try {
        out = read_rays_of(text, odd);
    } catch (const InputError& error) {
        throw InputError(fmt::format("'{}': {}", path.string(), error.what()));
    }
    if (odd.others > 0) {
        notes.add(fmt::format("'{}': {} element{} of unknown name left out", path.string(),
                              odd.others, odd.others == 1 ? "" : "s"));
    }
    if (odd.astray > 0) {
        notes.add(fmt::format("'{}': {} trajector{} not lead from the receiver to the shotpoint",
                              path.string(), odd.astray, odd.astray == 1 ? "y does" : "ies do"));
    }
    return out;
}

}  // namespace fermat
