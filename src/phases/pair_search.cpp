#include "phases/pair_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "phases/device_search.hpp"

namespace fermat {
namespace {

/// Of one way, how many starts are followed along interfaces where other ways are, too.
constexpr int most_along = 3;

/// Rays that end in one path: their joints are the same but for rounding.
bool same_path(const BranchRay& a, const BranchRay& b, double cell) {
    if (a.legs != b.legs || std::fabs(a.time - b.time) > 1e-5 * a.time) return false;
    const auto joint = [](const BranchRay& ray, std::size_t leg) {
        return ray.places[leg * static_cast<std::size_t>(ray.segments)];
    };
    for (std::size_t leg = 1; leg < a.legs.size(); ++leg) {
        if (distance(joint(a, leg), joint(b, leg)) > 0.1 * cell) return false;
    }
    return a.legs.size() > 1 || std::fabs(a.length - b.length) < 1e-4 * a.length;
}

/// Of rays that did not arrive, the one that came nearest to it.
int nearness(BranchStatus status) {
    switch (status) {
        case BranchStatus::crosses:
            return 3;
        case BranchStatus::outside:
            return 2;
        case BranchStatus::unsettled:
            return 1;
        default:
            return 0;
    }
}

}  // namespace

PairSearch::PairSearch(const LayeredMedium& medium, const PhaseOptions& options)
    : medium_(medium), options_(options) {
    const Vec3 cell = medium.place().cell_at_middle();
    cell_ = std::min(cell.x, cell.z);
}

std::vector<BranchRay> PairSearch::find(std::span<const std::unique_ptr<Way>> ways, RayPair pair,
                                        Vec3 source, Vec3 receiver) {
    found_.clear();
    blocked_.clear();
    missed_ = {};
    // Of several ways with reflections, one that passes inside its layers is meant.
    follows_interfaces_ = ways.size() == 1;
    const bool bounces = std::any_of(ways.begin(), ways.end(),
                                     [](const auto& way) { return way->lattice.has_bounces(); });
    const bool known = bounces && add_level_rays(ways, source, receiver);
    if (!known) {
        for (const auto& way : ways) follow(*way, pair, source, receiver);
        if (ways.size() > 1 && options_.arrivals == Arrivals::earliest) {
            follow_blocked(source, receiver);
        }
        // Where the distance of waves that turn in one layer is reached more than once, one
        // path was found.
        if (!bounces && add_level_rays(ways, source, receiver) && found_.empty()) missed_ = {};
    }
    std::stable_sort(found_.begin(), found_.end(),
                     [](const BranchRay& a, const BranchRay& b) { return a.time < b.time; });
    if (found_.empty()) found_.push_back(std::move(missed_));
    if (options_.arrivals == Arrivals::earliest) {
        found_.resize(1);
        BranchStatus& status = found_.front().status;
        if (!known && bounces && ways.size() > 1 && has_arrived(status)) {
            status = BranchStatus::doubtful;
        }
    }
    return std::move(found_);
}

bool PairSearch::add_level_rays(std::span<const std::unique_ptr<Way>> ways, Vec3 source,
                                Vec3 receiver) {
    const Mapping& mapping = medium_.place().mapping();
    const Vec3 from = mapping.to_user(mapping.from_place(source));
    const Vec3 to = mapping.to_user(mapping.from_place(receiver));
    bool complete = true;
    for (const auto& way : ways) {
        complete = complete && !way->level.empty();
        for (const LevelWay& level : way->level) {
            complete = complete && level.is_complete();
            const auto [entry, is_new] = samples_.try_emplace({&level, from.z, to.z});
            if (is_new) entry->second = level.samples(from.z, to.z);
            for (BranchRay& ray : level.rays(from, to, entry->second)) {
                if (has_arrived(ray.status)) {
                    add(std::move(ray));
                } else if (nearness(ray.status) >= nearness(missed_.status)) {
                    missed_ = std::move(ray);
                }
            }
        }
    }
    // Where none of stationary time arrives, one that follows an interface may.
    return complete && (ways.size() > 1 || !found_.empty());
}

void PairSearch::follow(const Way& way, RayPair pair, Vec3 source, Vec3 receiver) {
    PathFinder& finder =
        finders_.try_emplace(&way, medium_, way.legs, way.kinds, options_).first->second;
    const bool all = options_.arrivals == Arrivals::all;
    const StartLattice::Table& table = way.sources.at(pair.source);
    const StartLattice::Table& back = way.receivers.at(pair.receiver);
    const auto starts = way.lattice.has_bounces()
                            ? way.lattice.bounce_starts(table, back, source, receiver)
                            : way.lattice.starts(table, back, most_starts);
    bool arrived = false;
    for (const PathStart& start : starts) {
        const bool late = start.time > (1 + near_least) * starts.front().time;
        if (arrived && !all && (late || !start.least)) break;
        BranchRay ray = finder.find(source, receiver, start);
        const bool blocked =
            ray.status == BranchStatus::crosses || ray.status == BranchStatus::unsettled;
        if (blocked && start.least && follows_interfaces_) {
            BranchRay along = finder.find_along(source, receiver, start);
            if (has_arrived(along.status)) ray = std::move(along);
        } else if (blocked && start.least) {
            const bool reflected = has_reflections(way.legs);
            if (!reflected || ray.status == BranchStatus::unsettled) {
                blocked_.push_back({&finder, start, ray.time, reflected});
            }
        }
        if (!has_arrived(ray.status)) {
            if (nearness(ray.status) >= nearness(missed_.status)) missed_ = std::move(ray);
            continue;
        }
        arrived = true;
        add(std::move(ray));
    }
}

void PairSearch::follow_blocked(Vec3 source, Vec3 receiver) {
    std::stable_sort(
        blocked_.begin(), blocked_.end(),
        [](const BlockedWay& a, const BlockedWay& b) { return a.start.time < b.start.time; });
    const bool none = found_.empty();
    double least = std::numeric_limits<double>::infinity();
    for (const BranchRay& ray : found_) least = std::min(least, ray.time);
    std::map<const PathFinder*, int> tries;
    for (const BlockedWay& way : blocked_) {
        if (way.reflected && !none) continue;
        if (way.earliest >= least || tries[way.finder]++ == most_along) continue;
        BranchRay along = way.finder->find_along(source, receiver, way.start);
        // Its time is known to the tolerance: a path inside the layers that is as early is it.
        if (!has_arrived(along.status) || along.time >= (1 - options_.tolerance) * least) {
            continue;
        }
        least = along.time;
        if (way.reflected) along.status = BranchStatus::doubtful;
        add(std::move(along));
    }
}

void PairSearch::add(BranchRay&& ray) {
    const bool known = std::any_of(found_.begin(), found_.end(), [&](const BranchRay& one) {
        return same_path(one, ray, cell_);
    });
    if (!known) found_.push_back(std::move(ray));
}

}  // namespace fermat
