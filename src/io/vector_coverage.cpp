#include "io/vector_coverage.hpp"

#include <fmt/format.h>

#include <iterator>
#include <string>

#include "core/error.hpp"
#include "io/run_mark.hpp"

namespace fermat {
namespace {

void add_point(std::string& text, const char* indent, const char* name, Vec3 p) {
    fmt::format_to(std::back_inserter(text), "{}<{} x=\"{}\" y=\"{}\" z=\"{}\"/>\n", indent, name,
                   p.x, p.y, p.z);
}

}  // namespace

VectorCoverageWriter::VectorCoverageWriter(const std::filesystem::path& path,
                                           const std::string& run)
    : file_(path) {
    file_.write("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    file_.write(run.empty() ? "<vector_coverage>\n"
                            : fmt::format("<vector_coverage {}=\"{}\">\n", run_mark, run));
}

void VectorCoverageWriter::append(const RaySet& rays, std::span<const double> pick_times) {
    if (pick_times.size() != rays.size()) {
        throw InputError(fmt::format("{} pick times for {} rays (must be one a ray)",
                                     pick_times.size(), rays.size()));
    }
    std::string text;
    for (std::size_t r = 0; r < rays.size(); ++r) {
        const RayInfo& ray = rays.rays[r];
        if (!has_arrived(ray.status)) continue;
        const auto path = rays.path(r);
        text.clear();
        const auto out = std::back_inserter(text);
        fmt::format_to(out, "  <ray source=\"{}\" receiver=\"{}\">\n", ray.source, ray.receiver);
        add_point(text, "    ", "shotpoint", path.back());
        add_point(text, "    ", "receiver", path.front());
        fmt::format_to(out, "    <pick_time>{}</pick_time>\n    <trajectory vertices=\"{}\">\n",
                       pick_times[r], path.size());
        for (const Vec3 vertex : path) add_point(text, "      ", "vertex", vertex);
        text += "    </trajectory>\n  </ray>\n";
        file_.write(text);
    }
}

void VectorCoverageWriter::commit() {
    file_.write("</vector_coverage>\n");
    file_.commit();
}

}  // namespace fermat
