#include "phases/phases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <tuple>
#include <utility>

#include "core/parallel.hpp"
#include "phases/leg_lists.hpp"
#include "phases/leg_media.hpp"
#include "phases/level_way.hpp"
#include "phases/path_search.hpp"
#include "phases/phases_cuda.hpp"

namespace fermat {
namespace {

/// A list of legs between two layers, with what all its pairs share.
struct Way {
    Legs legs;
    std::vector<LayerKind> kinds;  ///< of the layers of the legs
    StartLattice lattice;
    /// Where the medium is level and waves turn; two where the first may turn or not.
    std::vector<LevelWay> level;
    std::map<std::int32_t, StartLattice::Table> sources;
    std::map<std::int32_t, StartLattice::Table> receivers;
};

constexpr int most_starts = 12;
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

/// The arrivals of one pair by all ways.
class PairSearch {
  public:
    PairSearch(const LayeredMedium& medium, const PhaseOptions& options)
        : medium_(medium), options_(options) {
        const Vec3 cell = medium.place().cell_at_middle();
        cell_ = std::min(cell.x, cell.z);
    }

    std::vector<BranchRay> find(std::span<const std::unique_ptr<Way>> ways, RayPair pair,
                                Vec3 source, Vec3 receiver) {
        found_.clear();
        blocked_.clear();
        missed_ = {};
        // Of several ways with reflections, one that passes inside its layers is meant.
        follows_interfaces_ = ways.size() == 1;
        const bool bounces = std::any_of(
            ways.begin(), ways.end(), [](const auto& way) { return way->lattice.has_bounces(); });
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

  private:
    /// A way whose path would leave its layers.
    struct BlockedWay {
        PathFinder* finder;
        PathStart start;
        double earliest = 0;     ///< time of that path, which one inside the layers cannot undercut
        bool reflected = false;  ///< looked at where no way arrives, since its time is no least one
    };

    /// Adds the rays that a level medium tells of itself. Returns whether there are no others.
    bool add_level_rays(std::span<const std::unique_ptr<Way>> ways, Vec3 source, Vec3 receiver) {
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

    void follow(const Way& way, RayPair pair, Vec3 source, Vec3 receiver) {
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

    /// The first arrival may go along an interface while a later wave passes inside its layers: of
    /// the ways that would leave their layers, those that may be earlier.
    void follow_blocked(Vec3 source, Vec3 receiver) {
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

    void add(BranchRay&& ray) {
        const bool known = std::any_of(found_.begin(), found_.end(), [&](const BranchRay& one) {
            return same_path(one, ray, cell_);
        });
        if (!known) found_.push_back(std::move(ray));
    }

    const LayeredMedium& medium_;
    const PhaseOptions& options_;
    double cell_ = 1;
    bool follows_interfaces_ = true;
    std::map<const Way*, PathFinder> finders_;
    /// By way, depth of the source and depth of the receiver.
    std::map<std::tuple<const LevelWay*, double, double>, std::vector<LevelWay::Sample>> samples_;
    std::vector<BranchRay> found_;
    std::vector<BlockedWay> blocked_;
    BranchRay missed_;
};

/// Layers and Cartesian places of points.
struct Ends {
    std::vector<int> layers;
    std::vector<char> on_top;  ///< whether a point lies on the interface on top of its layer
    std::vector<Vec3> places;

    /// A number that points share which have the same ways.
    int kind_of(std::int32_t point) const {
        const auto n = static_cast<std::size_t>(point);
        return kind_of_end(layers[n], on_top[n] != 0);
    }
};
Ends ends_of(const LayeredMedium& medium, std::span<const Vec3> points, std::string_view what) {
    Ends out;
    const Place& place = medium.place();
    for (std::size_t i = 0; i < points.size(); ++i) {
        try {
            out.layers.push_back(medium.layer_of(points[i], std::string(what)));
        } catch (const InputError&) {
            medium.layer_of(points[i], fmt::format("{} {}", what, i));
            throw;
        }
        const int layer = out.layers.back();
        const double above = points[i].z - medium.top_of(layer).depth_at(points[i].x, points[i].y);
        out.on_top.push_back(layer > 0 && above <= 1e-6 * medium.grid().spacing.z ? 1 : 0);
        out.places.push_back(place.mapping().place(place.grid_point(points[i])));
    }
    return out;
}

using Ways = std::map<std::pair<int, int>, std::vector<std::unique_ptr<Way>>>;
using Rays = std::vector<std::vector<BranchRay>>;

/// What a level medium tells of a way. Where velocity is linear in all layers in which its waves
/// turn and it has no bounces, it has one ray, which is found without.
std::vector<LevelWay> level_ways(const LayeredMedium& medium, const Way& way) {
    const Legs& legs = way.legs;
    const bool first_may_turn = !has_reflections(legs) && !legs.front().turns &&
                                (legs.front().to < 0 || legs.front().to == legs.front().layer);
    bool many = way.lattice.has_bounces();
    for (std::size_t k = 0; k < legs.size(); ++k) {
        const bool turns =
            legs[k].turns || legs[k].dives || legs[k].rises || (k == 0 && first_may_turn);
        many = many || (turns && !way.kinds[k].is_linear);
    }
    std::vector<LevelWay> out;
    if (!many) return out;
    out.emplace_back(medium, legs);
    if (first_may_turn) out.emplace_back(medium, legs, true);
    return out;
}

/// The ways between each pair of kinds of points that has pairs.
Ways ways_between(const LayeredMedium& medium, const Branch& branch, const Ends& from,
                  const Ends& to, std::span<const RayPair> pairs) {
    Ways out;
    std::map<std::pair<int, Phase>, LayerKind> kinds;
    const bool level = is_level(medium);
    for (const RayPair& pair : pairs) {
        const int a = from.kind_of(pair.source);
        const int b = to.kind_of(pair.receiver);
        const auto [entry, is_new] = out.try_emplace({a, b});
        if (!is_new) continue;
        for (Legs& legs : legs_between(branch, medium, a, b)) {
            std::vector<LayerKind> of_legs;
            for (const Leg& leg : legs) {
                const auto [kind, first] = kinds.try_emplace({leg.layer, leg.wave});
                if (first) kind->second = kind_of(medium.model(leg.layer, leg.wave));
                of_legs.push_back(kind->second);
            }
            entry->second.push_back(std::make_unique<Way>(
                Way{legs, std::move(of_legs), StartLattice(medium, legs), {}, {}, {}}));
            Way& way = *entry->second.back();
            if (level) way.level = level_ways(medium, way);
        }
    }
    return out;
}

BranchRay ray_of(const DeviceRay& found, const Vec3* points, const Legs& legs) {
    BranchRay ray;
    ray.status = BranchStatus::ok;
    ray.time = found.time;
    ray.doubt = found.doubt;
    ray.length = found.length;
    ray.maxima = found.maxima;
    ray.segments = found.segments;
    ray.legs = legs;
    const std::size_t last = legs.size() * static_cast<std::size_t>(found.segments);
    ray.places.assign(points, points + last + 1);
    ray.joints.assign(found.joints, found.joints + 2 * (legs.size() - 1));
    return ray;
}

/// Finds on the CUDA device what it can. Returns the numbers of the other pairs.
std::vector<std::size_t> find_on_device(const LayeredMedium& medium, const Ways& ways,
                                        const Ends& from, const Ends& to,
                                        std::span<const RayPair> pairs, const PhaseOptions& options,
                                        int threads, Rays& out) {
    std::vector<std::size_t> left;
    for (const auto& [kinds, list] : ways) {
        std::vector<std::size_t> numbers;
        std::vector<DevicePair> places;
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            const auto a = static_cast<std::size_t>(pairs[i].source);
            const auto b = static_cast<std::size_t>(pairs[i].receiver);
            if (from.kind_of(pairs[i].source) != kinds.first ||
                to.kind_of(pairs[i].receiver) != kinds.second) {
                continue;
            }
            numbers.push_back(i);
            places.push_back({from.places[a], to.places[b]});
        }
        const Way& way = *list.front();
        const CudaReflections device(medium, way.legs, way.kinds, way.lattice, options);
        device.find(places, [&](const CudaReflections::Batch& batch) {
            parallel_for(static_cast<std::int64_t>(batch.rays.size()), threads,
                         [&](std::int64_t k) {
                             const auto n = static_cast<std::size_t>(k);
                             if (batch.rays[n].segments == 0) return;
                             auto& rays = out[numbers[batch.first + n]];
                             rays.push_back(
                                 ray_of(batch.rays[n], batch.points + n * batch.stride, way.legs));
                         });
        });
        for (const std::size_t i : numbers) {
            if (out[i].empty()) left.push_back(i);
        }
    }
    std::sort(left.begin(), left.end());
    return left;
}

/// Finds the pairs of these numbers on the host.
void find_on_host(const LayeredMedium& medium, Ways& ways, const Ends& from, const Ends& to,
                  std::span<const RayPair> pairs, std::span<const std::size_t> numbers,
                  const PhaseOptions& options, int threads, Rays& out) {
    for (auto& [kinds, list] : ways) {
        for (const auto& way : list) {
            way->sources.clear();
            way->receivers.clear();
        }
    }
    // A table per point that is used.
    for (const std::size_t i : numbers) {
        const RayPair& pair = pairs[i];
        for (const auto& way : ways.at({from.kind_of(pair.source), to.kind_of(pair.receiver)})) {
            way->sources.try_emplace(pair.source);
            way->receivers.try_emplace(pair.receiver);
        }
    }
    for (auto& [kinds, list] : ways) {
        for (const auto& way : list) {
            std::vector<std::function<void()>> work;
            for (auto& [number, table] : way->sources) {
                work.push_back([&, n = static_cast<std::size_t>(number), t = &table] {
                    *t = way->lattice.from_source(from.places[n]);
                });
            }
            for (auto& [number, table] : way->receivers) {
                work.push_back([&, n = static_cast<std::size_t>(number), t = &table] {
                    *t = way->lattice.from_receiver(to.places[n]);
                });
            }
            parallel_for(static_cast<std::int64_t>(work.size()), threads,
                         [&](std::int64_t i) { work[static_cast<std::size_t>(i)](); });
        }
    }
    std::vector<std::unique_ptr<PairSearch>> searches(static_cast<std::size_t>(threads));
    parallel_for(static_cast<std::int64_t>(numbers.size()), threads, [&](std::int64_t k) {
        auto& search = searches[static_cast<std::size_t>(thread_index())];
        if (!search) search = std::make_unique<PairSearch>(medium, options);
        const std::size_t i = numbers[static_cast<std::size_t>(k)];
        const RayPair pair = pairs[i];
        const auto a = static_cast<std::size_t>(pair.source);
        const auto b = static_cast<std::size_t>(pair.receiver);
        out[i] = search->find(ways.at({from.kind_of(pair.source), to.kind_of(pair.receiver)}), pair,
                              from.places[a], to.places[b]);
    });
}

bool are_reversible(std::span<const std::unique_ptr<Way>> ways) {
    std::vector<Legs> all;
    for (const auto& way : ways) {
        if (way->lattice.has_bounces()) return false;
        all.push_back(way->legs);
    }
    return are_reversible(std::span<const Legs>(all));
}

/// Why a device cannot look for a branch's rays; empty where it can.
std::string obstacle(const LayeredMedium& medium, const Ways& ways, const PhaseOptions& options) {
    if (options.arrivals == Arrivals::all) return "all arrivals of a phase are found on the CPU";
    if (form_of(medium) == LayerForm::mapped || medium.grid().is_2d()) {
        return "later phases in media of two dimensions or curved coordinates are found on the CPU";
    }
    for (const auto& [kinds, list] : ways) {
        if (list.size() != 1 || list.front()->legs.size() != 2 ||
            list.front()->lattice.has_bounces()) {
            return "phases other than a reflection inside one layer are found on the CPU";
        }
    }
    return {};
}

}  // namespace

std::vector<std::vector<BranchRay>> trace_branch(const LayeredMedium& medium, const Branch& branch,
                                                 std::span<const Vec3> sources,
                                                 std::span<const Vec3> receivers,
                                                 std::span<const RayPair> pairs,
                                                 const PhaseOptions& options,
                                                 const Execution& execution) {
    validate_options(options);
    require_waves(branch, medium);
    const Ends from = ends_of(medium, sources, "source");
    const Ends to = ends_of(medium, receivers, "receiver");
    const int threads = resolve_threads(execution.threads);
    Ways ways = ways_between(medium, branch, from, to, pairs);
    Rays out(pairs.size());
    std::vector<std::size_t> left;
    if (on_cuda(execution.device, obstacle(medium, ways, options))) {
        left = find_on_device(medium, ways, from, to, pairs, options, threads, out);
    } else {
        left.resize(pairs.size());
        std::iota(left.begin(), left.end(), std::size_t{0});
    }
    // A pair whose ways are the same from either end is looked at from the same one always, so that
    // a path and its reverse agree to the last bit.
    std::map<std::pair<int, int>, bool> reversible;
    for (const auto& [kinds, list] : ways) {
        reversible[kinds] = kinds.first == kinds.second && are_reversible(list);
    }
    const auto is_reversible = [&](RayPair pair) {
        return reversible.at({from.kind_of(pair.source), to.kind_of(pair.receiver)});
    };
    std::vector<RayPair> back;
    for (const RayPair& pair : pairs) back.push_back({pair.receiver, pair.source});
    const auto look = [&](std::span<const std::size_t> numbers, bool turned) {
        find_on_host(medium, ways, turned ? to : from, turned ? from : to, turned ? back : pairs,
                     numbers, options, threads, out);
        if (!turned) return;
        for (const std::size_t i : numbers) {
            for (BranchRay& ray : out[i]) turn_round(ray);
        }
    };
    std::vector<std::size_t> numbers[2];
    for (const std::size_t i : left) {
        const Vec3 a = from.places[static_cast<std::size_t>(pairs[i].source)];
        const Vec3 b = to.places[static_cast<std::size_t>(pairs[i].receiver)];
        const bool turned = is_reversible(pairs[i]) && is_before(b, a) != options.other_end;
        numbers[turned ? 1 : 0].push_back(i);
    }
    for (const bool turned : {false, true}) look(numbers[turned ? 1 : 0], turned);
    // A path along an interface may be found from one end alone: what has not arrived is looked for
    // from the other.
    for (const bool turned : {false, true}) {
        std::vector<std::size_t>& again = numbers[turned ? 1 : 0];
        std::erase_if(again, [&](std::size_t i) {
            const BranchStatus status = out[i].front().status;
            return !is_reversible(pairs[i]) ||
                   (status != BranchStatus::crosses && status != BranchStatus::unsettled);
        });
        Rays first;
        for (const std::size_t i : again) first.push_back(std::move(out[i]));
        look(again, !turned);
        for (std::size_t k = 0; k < again.size(); ++k) {
            if (!has_arrived(out[again[k]].front().status)) out[again[k]] = std::move(first[k]);
        }
    }
    return out;
}

std::vector<Vec3> points_of(const LayeredMedium& medium, const BranchRay& ray) {
    const Mapping& mapping = medium.place().mapping();
    std::vector<Vec3> out;
    for (const Vec3& p : ray.places) out.push_back(mapping.to_user(mapping.from_place(p)));
    return out;
}

}  // namespace fermat
