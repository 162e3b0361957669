#include "phases/ways.hpp"

#include <fmt/format.h>

#include <functional>
#include <string>

#include "core/error.hpp"
#include "core/parallel.hpp"

namespace fermat {
namespace {

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

}  // namespace

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

void fill_tables(Ways& ways, const Ends& from, const Ends& to, std::span<const RayPair> pairs,
                 std::span<const std::size_t> numbers, int threads) {
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
}

}  // namespace fermat
