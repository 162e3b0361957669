#include <fmt/format.h>

#include <iterator>
#include <string>

#include "io/atomic_file.hpp"
#include "io/position_index.hpp"
#include "io/survey_file.hpp"

namespace fermat {

void write_sgt(const std::filesystem::path& path, const SurveyFile& survey) {
    const Survey& picks = survey.picks;
    PositionIndex index;
    for (const Vec3 p : survey.points) index.add(p);
    std::vector<std::int32_t> shots;
    std::vector<std::int32_t> geophones;
    for (const Event& event : picks.events) shots.push_back(index.add(event.position));
    for (const Station& at : picks.stations) geophones.push_back(index.add(at.position));
    const std::vector<Vec3> points = index.take();

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
        fmt::format_to(out, "{}\t{}\t{}", shots[static_cast<std::size_t>(pick.event)] + 1,
                       geophones[static_cast<std::size_t>(pick.station)] + 1,
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
