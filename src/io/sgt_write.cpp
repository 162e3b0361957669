#include <fmt/format.h>

#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "core/error.hpp"
#include "io/atomic_file.hpp"
#include "io/survey_file.hpp"

namespace fermat {
namespace {

/// Numbers points from 1 in the order they come; equal points get one number.
class PointNumbers {
  public:
    std::size_t add(Vec3 p) {
        // -0 and 0 are the same place.
        const auto [entry, added] =
            numbers_.try_emplace({p.x + 0.0, p.y + 0.0, p.z + 0.0}, points_.size() + 1);
        if (added) points_.push_back(p);
        return entry->second;
    }
    const std::vector<Vec3>& points() const { return points_; }

  private:
    std::map<std::tuple<double, double, double>, std::size_t> numbers_{};
    std::vector<Vec3> points_{};
};

}  // namespace

void write_sgt(const std::filesystem::path& path, const SurveyFile& survey) {
    const Survey& picks = survey.picks;
    if (phases_of(picks).size() > 1) {
        throw InputError(
            fmt::format("cannot write '{}' (the format has no phases, and the picks have P and S: "
                        "take one with "
                        "`phase`, or write .csv)",
                        path.string()));
    }
    PointNumbers index;
    for (const Vec3 p : survey.points) index.add(p);
    std::vector<std::size_t> shots;
    std::vector<std::size_t> geophones;
    for (const Event& event : picks.events) shots.push_back(index.add(event.position));
    for (const Station& at : picks.stations) geophones.push_back(index.add(at.position));
    const std::vector<Vec3>& points = index.points();

    OutputFile file(path);
    std::string text = fmt::format("{} # shot/geophone points\n#{}\n", points.size(),
                                   picks.is_2d ? "x y" : "x y z");
    auto out = std::back_inserter(text);
    for (const Vec3 p : points) {
        fmt::format_to(out, "{}", p.x);
        if (!picks.is_2d) fmt::format_to(out, "\t{}", p.y);
        fmt::format_to(out, "\t{}\n", 0.0 - p.z);
    }
    fmt::format_to(out, "{} # measurements\n#s g t{}\n", picks.arrivals.size(),
                   picks.has_errors ? " err" : "");
    for (const Arrival& pick : picks.arrivals) {
        fmt::format_to(out, "{}\t{}\t{}", shots[static_cast<std::size_t>(pick.event)],
                       geophones[static_cast<std::size_t>(pick.station)],
                       pick.time - picks.event_of(pick).origin_time);
        if (picks.has_errors) fmt::format_to(out, "\t{}", pick.error);
        text += '\n';
        if (text.size() > (1U << 20)) {
            file.write(text);
            text.clear();
        }
    }
    file.write(text);
    file.commit();
}

}  // namespace fermat
