#include "graph/dijkstra.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <vector>

#include "graph/node_queue.hpp"

namespace fermat {
namespace {

/// Finds the edges of a node that may improve their other ends.
class Candidates {
  public:
    explicit Candidates(const StarTable& star)
        : star_(star), maybe_(star.row_length.size() + sizeof(std::uint64_t)) {}

    /// Calls visit(edge) if the edge could make its other end earlier, supposing that it ran
    /// through the fastest rock nearby. The test covers a whole row of the star's box at once.
    template <class Visit>
    void for_each(const float* times, float time, float least_slowness, Visit visit) {
        const auto width = static_cast<std::size_t>(star_.row_width);
        const std::size_t rows = star_.row_step.size();
        for (std::size_t row = 0; row < rows; ++row) {
            const float* const ends = times + star_.row_step[row];
            const float* const length = star_.row_length.data() + row * width;
            std::uint8_t* const maybe = maybe_.data() + row * width;
            for (std::size_t k = 0; k < width; ++k) {
                maybe[k] = ends[k] > time + length[k] * least_slowness;
            }
        }
        for (std::size_t n = 0; n < rows * width; n += sizeof(std::uint64_t)) {
            std::uint64_t eight;
            std::memcpy(&eight, maybe_.data() + n, sizeof eight);
            for (; eight != 0; eight &= eight - 1) {
                visit(star_.row_edge[n + static_cast<std::size_t>(std::countr_zero(eight)) / 8]);
            }
        }
    }

  private:
    const StarTable& star_;
    std::vector<std::uint8_t> maybe_;
};

template <bool Stored, TimeQueue Queue>
std::int64_t settle_all(const Graph& graph, std::span<const Link> links, Queue queue,
                        GraphField& field, Monitor& monitor) {
    const GraphView& view = graph.view();
    float* const times = field.times.data();
    std::uint16_t* const predecessor = field.predecessor.data();
    const float* const least = graph.least_slowness().data();
    Candidates candidates(graph.star());
    std::int64_t settled = 0;
    for (const Link& link : links) queue.push(link.time, static_cast<std::uint32_t>(link.place));
    float time;
    std::uint32_t node;
    while (queue.pop(time, node)) {
        // Skips outdated entries: the node is done, or has become earlier since this entry was
        // queued.
        if ((predecessor[node] & done_bit) != 0 || time > times[node]) continue;
        predecessor[node] |= done_bit;
        constexpr std::int64_t between_checks = 1 << 14;
        if (++settled % between_checks == 0) monitor.check();
        const std::size_t place = node;
        const auto relax = [&](int edge) {
            const float weight =
                Stored ? *stored_weight(view, place, edge) : computed_weight(view, place, edge);
            const std::size_t end =
                static_cast<std::size_t>(static_cast<std::int64_t>(place) + view.step[edge]);
            const float arrival = time + weight;
            if (arrival < times[end]) {
                times[end] = arrival;
                predecessor[end] = static_cast<std::uint16_t>(view.opposite(edge));
                queue.push(arrival, static_cast<std::uint32_t>(end));
            }
        };
        if constexpr (std::is_same_v<Queue, HeapQueue>) {
            // The plain form of the papers, for comparison.
            for (int edge = 0; edge < view.edges; ++edge) relax(edge);
        } else {
            candidates.for_each(times + place, time, least[place / 8], relax);
        }
    }
    for (std::uint16_t& p : field.predecessor) p &= static_cast<std::uint16_t>(~done_bit);
    return settled * view.edges;
}

/// The width of the buckets: the time of the shortest edge, but at least a small fraction of the
/// mean. Otherwise a few fast nodes would cause very many empty buckets.
float bucket_width(const GraphView& graph, std::span<const float> least) {
    constexpr double smallest_part = 1.0 / 64;
    double fastest = INFINITY;
    double sum = 0;
    double count = 0;
    for (const float s : least) {
        if (!std::isfinite(s)) continue;
        fastest = std::min(fastest, static_cast<double>(s));
        sum += s;
        count += 1;
    }
    const float shortest = *std::min_element(graph.length, graph.length + graph.edges);
    return static_cast<float>(shortest * std::max(fastest, smallest_part * sum / count));
}

}  // namespace

void dijkstra(const Graph& graph, std::span<const Link> links, GraphField& field,
              Monitor& monitor) {
    const auto run = [&](auto queue) {
        field.relaxations = graph.stores_weights()
                                ? settle_all<true>(graph, links, std::move(queue), field, monitor)
                                : settle_all<false>(graph, links, std::move(queue), field, monitor);
    };
    if (graph.options().queue == NodeQueue::heap) {
        run(HeapQueue());
    } else {
        run(BucketQueue(bucket_width(graph.view(), graph.least_slowness())));
    }
}

}  // namespace fermat
