#include <fmt/format.h>

#include <map>
#include <utility>

#include "phases/branch.hpp"
#include "phases/level_way.hpp"

namespace fermat {
namespace {

/// Whether a layer above the one that holds a point has no thickness at it.
bool is_pinched_at(const LayeredMedium& medium, Vec3 p, int layer) {
    if (layer == 0) return false;
    const double above = medium.top_of(layer - 1).depth_at(p.x, p.y);
    const double top = medium.top_of(layer).depth_at(p.x, p.y);
    return top - above <= 1e-6 * medium.grid().spacing.z;
}

std::string side_of(const LayeredMedium& medium, int layer) {
    return fmt::format("layer {} (below '{}')", layer, medium.top_of(layer).id());
}

}  // namespace

void note_doubts(const Branch& branch, const LayeredMedium& medium, Notes& notes) {
    if (knows_all_rays(medium, branch)) return;
    for (std::size_t k = 0; k < branch.steps.size(); ++k) {
        const BranchStep& step = branch.steps[k];
        const bool bounces = step.interface == 0 && step.then == AtInterface::reflect;
        // A wave that comes up from a reflection does not turn.
        const bool turned = k == 0 || branch.steps[k - 1].interface == 0;
        const bool anywhere = branch.dives && medium.layer_count() > 2 && turned && !step.upwards;
        if (!bounces || !(anywhere || step.downwards)) continue;
        const auto where = anywhere
                               ? fmt::format(
                                     ", and its waves may turn in {} layers (say in which, as in "
                                     "'P moho transmit P surface reflect P')",
                                     medium.layer_count())
                               : std::string();
        notes.add(
            fmt::format("times of {} may be those of a later arrival, or missing: its bounce "
                        "at the surface is a maximum of the time{}",
                        branch.name, where));
        return;
    }
}

void note_missing_ways(const Branch& branch, const LayeredMedium& medium,
                       std::span<const Vec3> sources, std::span<const Vec3> receivers,
                       std::span<const RayPair> pairs, Notes& notes) {
    std::vector<int> from;
    std::vector<int> to;
    for (std::size_t i = 0; i < sources.size(); ++i) {
        from.push_back(medium.layer_of(sources[i], fmt::format("source {}", i)));
    }
    for (std::size_t i = 0; i < receivers.size(); ++i) {
        to.push_back(medium.layer_of(receivers[i], fmt::format("receiver {}", i)));
    }
    struct Missing {
        std::size_t pairs = 0;
        std::size_t pinched = 0;
    };
    std::map<std::pair<int, int>, bool> ways;
    std::map<std::pair<int, int>, Missing> missing;
    for (const RayPair& pair : pairs) {
        const auto s = static_cast<std::size_t>(pair.source);
        const auto r = static_cast<std::size_t>(pair.receiver);
        const std::pair layers{from[s], to[r]};
        const auto [entry, is_new] = ways.try_emplace(layers, true);
        if (is_new) {
            entry->second = !legs_of(branch, medium, layers.first, layers.second).empty();
        }
        if (entry->second) continue;
        Missing& found = missing[layers];
        ++found.pairs;
        found.pinched += is_pinched_at(medium, sources[s], layers.first) ||
                         is_pinched_at(medium, receivers[r], layers.second);
    }
    for (const auto& [layers, found] : missing) {
        const auto pinched =
            found.pinched == 0
                ? std::string()
                : fmt::format("; at an end of {} of them a layer above has no thickness",
                              found.pinched);
        notes.add(fmt::format("{} has no way from {} to {}: {} of {} pairs are absent{}",
                              branch.name, side_of(medium, layers.first),
                              side_of(medium, layers.second), found.pairs, pairs.size(), pinched));
    }
}

}  // namespace fermat
