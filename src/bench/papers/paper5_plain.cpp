#include "bench/papers/paper5_plain.hpp"

#include <cmath>

#include "core/stopwatch.hpp"

namespace fermat::bench {

PlainResult solve_plain(const PlainProblem& problem, Monitor& monitor) {
    PlainResult result;
    const int side = problem.points + 1;
    result.times.assign(problem.slowness.size(), INFINITY);
    const PlainTimes field{side, (side + plain_side - 1) / plain_side, problem.slowness.data(),
                           result.times.data()};
    const Stopwatch computing;
    const auto blocks = static_cast<std::size_t>(field.block_count());
    std::vector<std::uint8_t> active(blocks, 0);
    std::vector<std::uint8_t> next(blocks, 0);
    std::vector<std::uint8_t> converged(blocks, 0);
    result.times[static_cast<std::size_t>(field.at(problem.source.x, problem.source.z))] = 0;
    active[static_cast<std::size_t>(problem.source.x / plain_side * field.blocks +
                                    problem.source.z / plain_side)] = 1;
    PlainRoom room;
    bool busy = true;
    while (busy) {
        monitor.check();
        busy = false;
        for (int b = 0; b < field.block_count(); ++b) {
            visit_plain_block(HostBlock(), field, b, active.data(), converged.data(), room);
        }
        for (int b = 0; b < field.block_count(); ++b) {
            busy = renew_plain_block(HostBlock(), field, b, active.data(), converged.data(),
                                     next.data(), room) ||
                   busy;
        }
        std::swap(active, next);
    }
    std::vector<PlainPoint> path(static_cast<std::size_t>(plain_path_length(problem.points)));
    for (const PlainPoint receiver : problem.receivers) {
        const int count = trace_plain_ray(field, receiver, problem.source, path.data());
        result.paths.emplace_back(path.begin(), path.begin() + count);
    }
    result.computing = computing.seconds();
    return result;
}

}  // namespace fermat::bench
