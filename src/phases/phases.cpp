#include "phases/phases.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <utility>

#include "core/parallel.hpp"
#include "phases/device_paths.hpp"
#include "phases/pair_search.hpp"
#include "phases/ways.hpp"

namespace fermat {
namespace {

/// Finds the pairs of these numbers on the host.
void find_on_host(const LayeredMedium& medium, Ways& ways, const Ends& from, const Ends& to,
                  std::span<const RayPair> pairs, std::span<const std::size_t> numbers,
                  const PhaseOptions& options, int threads, Rays& out) {
    fill_tables(ways, from, to, pairs, numbers, threads);
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
    if (on_cuda(execution.device, device_obstacle(medium, ways, options))) {
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
    for (const RayPair& pair : pairs) back.push_back(pair.turned());
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
