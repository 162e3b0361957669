#include "phases/leg_lists.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace fermat {
namespace {

/// Whether two lists of legs pass the same layers and interfaces as the same waves.
bool same_legs(std::span<const Leg> a, std::span<const Leg> b) {
    if (a.size() != b.size()) return false;
    for (std::size_t k = 0; k < a.size(); ++k) {
        const bool last = k + 1 == a.size();
        if (a[k].wave != b[k].wave || a[k].layer != b[k].layer) return false;
        if (!last && a[k].to != b[k].to) return false;
    }
    return true;
}

/// Marks the legs between an end that lies on top of its layer and that interface, where another
/// way has all but them.
void mark_spare_legs(std::vector<Legs>& ways, int from, int to) {
    const auto is_way = [&](std::span<const Leg> legs) {
        return std::any_of(ways.begin(), ways.end(),
                           [&](const Legs& one) { return same_legs(one, legs); });
    };
    for (Legs& legs : ways) {
        if (legs.size() < 2) continue;
        const std::span<const Leg> all = legs;
        Leg& first = legs.front();
        Leg& last = legs.back();
        const int source = from / 2;
        const int receiver = to / 2;
        first.spare =
            from % 2 == 1 && first.layer == source && first.to == source && is_way(all.subspan(1));
        last.spare = to % 2 == 1 && last.layer == receiver &&
                     legs[legs.size() - 2].to == receiver && is_way(all.first(all.size() - 1));
    }
}

}  // namespace

std::vector<Legs> legs_between(const Branch& branch, const LayeredMedium& medium, int from,
                               int to) {
    const int source = from / 2;
    const int receiver = to / 2;
    std::vector<Legs> out = legs_of(branch, medium, source, receiver);
    const auto add = [&](int a, int b) {
        for (Legs& legs : legs_of(branch, medium, a, b)) {
            const bool leaves = a == source || legs.front().to != source;
            const bool comes =
                b == receiver || legs.size() == 1 || legs[legs.size() - 2].to != receiver;
            if (leaves && comes) out.push_back(std::move(legs));
        }
    };
    if (from % 2 == 1) add(source - 1, receiver);
    if (to % 2 == 1) add(source, receiver - 1);
    if (from % 2 == 1 && to % 2 == 1) add(source - 1, receiver - 1);
    mark_spare_legs(out, from, to);
    return out;
}

bool has_reflections(const Legs& legs) {
    return std::adjacent_find(legs.begin(), legs.end(), [](const Leg& a, const Leg& b) {
               return a.layer == b.layer;
           }) != legs.end();
}

Legs reversed(const Legs& legs) {
    Legs out(legs.rbegin(), legs.rend());
    for (std::size_t k = 0; k < out.size(); ++k) {
        out[k].to = k + 1 < out.size() ? legs[legs.size() - 2 - k].to : -1;
        std::swap(out[k].dives, out[k].rises);
    }
    return out;
}

bool is_before(Vec3 a, Vec3 b) { return std::tie(a.x, a.y, a.z) < std::tie(b.x, b.y, b.z); }

bool are_reversible(std::span<const Legs> ways) {
    return std::all_of(ways.begin(), ways.end(), [&](const Legs& legs) {
        return std::find(ways.begin(), ways.end(), reversed(legs)) != ways.end();
    });
}

void turn_round(BranchRay& ray) {
    ray.legs = reversed(ray.legs);
    std::reverse(ray.places.begin(), ray.places.end());
    // Two coordinates per joint.
    std::reverse(ray.joints.begin(), ray.joints.end());
    for (std::size_t k = 0; k + 1 < ray.joints.size(); k += 2) {
        std::swap(ray.joints[k], ray.joints[k + 1]);
    }
}

}  // namespace fermat
