#include "phases/phases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include "core/parallel.hpp"
#include "phases/path_search.hpp"

namespace fermat {
namespace {

/// A list of legs between two layers, with what all its pairs share.
struct Way {
    Legs legs;
    StartLattice lattice;
    std::map<std::int32_t, StartLattice::Table> sources;
    std::map<std::int32_t, StartLattice::Table> receivers;
};

/// Starts within this part of the least may end first.
constexpr double near_least = 0.2;
constexpr int most_starts = 12;

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
        missed_ = {};
        // Of several ways, the one that passes inside its layers is meant.
        follows_interfaces_ = ways.size() == 1;
        for (const auto& way : ways) follow(*way, pair, source, receiver);
        std::stable_sort(found_.begin(), found_.end(),
                         [](const BranchRay& a, const BranchRay& b) { return a.time < b.time; });
        if (found_.empty()) found_.push_back(std::move(missed_));
        if (options_.arrivals == Arrivals::earliest) found_.resize(1);
        return std::move(found_);
    }

  private:
    void follow(const Way& way, RayPair pair, Vec3 source, Vec3 receiver) {
        PathFinder& finder =
            finders_.try_emplace(&way, medium_, way.legs, options_, follows_interfaces_)
                .first->second;
        const bool all = options_.arrivals == Arrivals::all;
        const auto starts = way.lattice.starts(way.sources.at(pair.source),
                                               way.receivers.at(pair.receiver), most_starts);
        bool arrived = false;
        for (const PathStart& start : starts) {
            const bool late = start.time > (1 + near_least) * starts.front().time;
            if (arrived && !all && (late || !start.least)) break;
            BranchRay ray = finder.find(source, receiver, start);
            if (!has_arrived(ray.status)) {
                if (nearness(ray.status) >= nearness(missed_.status)) missed_ = std::move(ray);
                continue;
            }
            arrived = true;
            const bool known = std::any_of(found_.begin(), found_.end(), [&](const BranchRay& one) {
                return same_path(one, ray, cell_);
            });
            if (!known) found_.push_back(std::move(ray));
        }
    }

    const LayeredMedium& medium_;
    const PhaseOptions& options_;
    double cell_ = 1;
    bool follows_interfaces_ = true;
    std::map<const Way*, PathFinder> finders_;
    std::vector<BranchRay> found_;
    BranchRay missed_;
};

/// Layers and Cartesian places of points.
struct Ends {
    std::vector<int> layers;
    std::vector<Vec3> places;
};
Ends ends_of(const LayeredMedium& medium, std::span<const Vec3> points, std::string_view what) {
    Ends out;
    for (std::size_t i = 0; i < points.size(); ++i) {
        out.layers.push_back(medium.layer_of(points[i], fmt::format("{} {}", what, i)));
        const Place& place = medium.place();
        out.places.push_back(place.mapping().place(place.grid_point(points[i])));
    }
    return out;
}

}  // namespace

std::vector<std::vector<BranchRay>> trace_branch(const LayeredMedium& medium, const Branch& branch,
                                                 std::span<const Vec3> sources,
                                                 std::span<const Vec3> receivers,
                                                 std::span<const RayPair> pairs,
                                                 const PhaseOptions& options,
                                                 const Execution& execution) {
    validate_options(options);
    for (const BranchStep& step : branch.steps) {
        if (step.wave == Phase::S) medium.model(0, Phase::S);
    }
    const Ends from = ends_of(medium, sources, "source");
    const Ends to = ends_of(medium, receivers, "receiver");
    const int threads = resolve_threads(execution.threads);
    // The ways between each pair of layers, with a table per point that uses them.
    std::map<std::pair<int, int>, std::vector<std::unique_ptr<Way>>> ways;
    for (const RayPair& pair : pairs) {
        const int a = from.layers[static_cast<std::size_t>(pair.source)];
        const int b = to.layers[static_cast<std::size_t>(pair.receiver)];
        const auto [entry, is_new] = ways.try_emplace({a, b});
        if (is_new) {
            for (Legs& legs : legs_of(branch, medium, a, b)) {
                entry->second.push_back(
                    std::make_unique<Way>(Way{legs, StartLattice(medium, legs), {}, {}}));
            }
        }
        for (const auto& way : entry->second) {
            way->sources.try_emplace(pair.source);
            way->receivers.try_emplace(pair.receiver);
        }
    }
    for (auto& [layers, list] : ways) {
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
    std::vector<std::vector<BranchRay>> out(pairs.size());
    std::vector<std::unique_ptr<PairSearch>> searches(static_cast<std::size_t>(threads));
    parallel_for(static_cast<std::int64_t>(pairs.size()), threads, [&](std::int64_t i) {
        auto& search = searches[static_cast<std::size_t>(thread_index())];
        if (!search) search = std::make_unique<PairSearch>(medium, options);
        const RayPair pair = pairs[static_cast<std::size_t>(i)];
        const auto a = static_cast<std::size_t>(pair.source);
        const auto b = static_cast<std::size_t>(pair.receiver);
        out[static_cast<std::size_t>(i)] = search->find(ways.at({from.layers[a], to.layers[b]}),
                                                        pair, from.places[a], to.places[b]);
    });
    return out;
}

std::vector<Vec3> points_of(const LayeredMedium& medium, const BranchRay& ray) {
    const Mapping& mapping = medium.place().mapping();
    std::vector<Vec3> out;
    for (const Vec3& p : ray.places) out.push_back(mapping.to_user(mapping.from_place(p)));
    return out;
}

}  // namespace fermat
