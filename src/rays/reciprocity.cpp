#include "rays/reciprocity.hpp"

#include <limits>
#include <unordered_set>
#include <utility>

namespace fermat {

ExchangedSurvey::ExchangedSurvey(std::span<const PointSource> sources,
                                 std::span<const Vec3> receivers, std::span<const RayPair> pairs)
    : sources_(sources), receivers_(receivers), given_(pairs) {
    for (const Vec3 receiver : receivers) from_.push_back({receiver, 0});
    for (const PointSource& source : sources) to_.push_back(source.position);
    for (const RayPair pair : pairs) pairs_.push_back({pair.receiver, pair.source});
}

void ExchangedSurvey::turn_round(const Model& model, const RaySet& rays,
                                 const std::function<void(RaySet&&)>& consume) const {
    // Index of the next ray of each receiver, and the pairs of each source.
    std::vector<std::size_t> next(receivers_.size() + 1, 0);
    for (const RayPair pair : given_) ++next[static_cast<std::size_t>(pair.receiver) + 1];
    for (std::size_t r = 1; r < next.size(); ++r) next[r] += next[r - 1];
    std::vector<std::vector<std::size_t>> of_source(sources_.size());
    std::vector<std::size_t> ray_of(given_.size());
    for (std::size_t p = 0; p < given_.size(); ++p) {
        ray_of[p] = next[static_cast<std::size_t>(given_[p].receiver)]++;
        of_source[static_cast<std::size_t>(given_[p].source)].push_back(p);
    }
    const Grid& grid = model.grid();
    std::vector<Vec3> points;
    for (std::size_t s = 0; s < sources_.size(); ++s) {
        const bool dead = in_air(model, grid.clamp(sources_[s].position));
        RaySet set;
        for (const std::size_t p : of_source[s]) {
            const Vec3 receiver = receivers_[static_cast<std::size_t>(given_[p].receiver)];
            RayInfo info = rays.rays[ray_of[p]];
            const auto path = rays.path(ray_of[p]);
            points.assign(path.rbegin(), path.rend());
            info.source = given_[p].source;
            info.receiver = given_[p].receiver;
            info.field_time += sources_[s].start_time;
            info.time += sources_[s].start_time;
            if (dead) {
                info.status = RayStatus::source_in_air;
                info.field_time = std::numeric_limits<double>::infinity();
            } else if (in_air(model, grid.clamp(receiver))) {
                info.status = RayStatus::receiver_in_air;
            }
            if (info.status != RayStatus::ok) {
                info.length = 0;
                points = {receiver};
            }
            set.append(info, points);
        }
        consume(std::move(set));
    }
}

bool exchange_pays(const Grid& grid, std::span<const RayPair> pairs) {
    std::unordered_set<std::int32_t> sources;
    std::unordered_set<std::int32_t> receivers;
    for (const RayPair pair : pairs) {
        sources.insert(pair.source);
        receivers.insert(pair.receiver);
    }
    // Estimate: a ray has one point every few cells.
    constexpr double most_bytes = 1 << 30;
    const double bytes_per_ray = 0.25 * (grid.shape.x + grid.shape.y + grid.shape.z) * sizeof(Vec3);
    return receivers.size() < sources.size() &&
           static_cast<double>(pairs.size()) * bytes_per_ray <= most_bytes;
}

}  // namespace fermat
