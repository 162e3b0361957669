#include "graph/bellman_ford_opengl.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/error.hpp"
#include "core/gl_buffer.hpp"
#include "core/gl_context.hpp"
#include "core/gl_functions.hpp"
#include "core/gl_program.hpp"
#include "core/stopwatch.hpp"
#include "graph/node_tile_queue.hpp"
#include "graph/shader_words.hpp"
#include "graph/shaders/embed.hpp"

namespace fermat {
namespace {

// Places of the counters in relax.glsl.
constexpr std::size_t ring = 4;
constexpr std::size_t last_pass = 4 * ring;
constexpr std::size_t least_of_pass = last_pass + 4;

/// Passes that are started before the host asks whether any work is left.
constexpr int passes_at_once = 16;
/// Work groups of dispatches that go over all tiles.
constexpr unsigned wide = 1024;

/// FOR_EACH_EDGE of relax.glsl. Compilers take long for large stars that are written out.
std::string edges_written_out(const NodeTileSetup& setup) {
    constexpr std::size_t most = 128;
    if (setup.step.size() > most) {
        return "#define FOR_EACH_EDGE(X) for (int e = 0; e < EDGES; ++e) { X(e, copy_step(e)) }\n";
    }
    std::string text = "#define FOR_EACH_EDGE(X)";
    for (std::size_t e = 0; e < setup.step.size(); ++e) {
        text += fmt::format(" X({}, ({}))", e, setup.step[e]);
    }
    return text + "\n";
}

/// A shader for one graph: its numbers, what all shaders share, and its own text.
std::string source_of(const NodeTileSetup& setup, bool stored, std::string_view shader) {
    const NodeTiles& tiles = setup.tiles;
    const GraphView& g = tiles.graph;
    std::string text = graph_words(g, tiles.size, tiles.tiles, tiles.memory, tiles.reach);
    text += edges_written_out(setup);
    text += fmt::format(
        "#define LANES {}\n#define EDGES {}\n#define ROUNDS {}\n#define STORED {}\n#define ALL {}\n"
        "#define WINDOW uintBitsToFloat({}u)\n",
        tile_lanes, g.edges, tiles.rounds, stored ? 1 : 0, tiles.all ? "true" : "false",
        std::bit_cast<std::uint32_t>(tiles.window));
    text += shaders::graph;
    text += shader;
    return text;
}

/// Times, update map and lists before the first pass, for a batch.
struct BatchStart {
    std::vector<float> times;
    std::vector<std::uint32_t> predecessors;
    std::vector<float> keys;
    std::vector<std::uint32_t> lists;
    std::vector<std::uint32_t> counters;
    std::vector<std::uint32_t> links;

    BatchStart(const NodeTiles& tiles, std::span<const std::vector<Link>> sources) {
        const std::size_t stride = tiles.graph.memory.count();
        const std::size_t shots = sources.size();
        const std::size_t entries = shots * tiles.tile_count();
        constexpr float never = std::numeric_limits<float>::infinity();
        times.assign(shots * stride, never);
        predecessors.assign(2 * shots * stride, from_nowhere);
        keys.assign(2 * entries, never);
        lists.assign(2 * entries, 0);
        counters.assign(least_of_pass + ring * shots + 2 * entries, 0);
        std::vector<unsigned> counts(NodeTileQueue::ring);
        std::vector<float> least(NodeTileQueue::ring * shots, never);
        NodeTileQueue queue;
        queue.key = keys.data();
        queue.list[0] = lists.data();
        queue.count = counts.data();
        queue.least_of_pass = least.data();
        queue.shots = static_cast<int>(shots);
        for (std::size_t s = 0; s < shots; ++s) {
            for (const Link& link : sources[s]) {
                start_from(tiles, queue, {link.place, link.time, static_cast<int>(s)},
                           times.data() + s * stride);
                links.push_back(static_cast<std::uint32_t>(s * stride + link.place));
                links.push_back(std::bit_cast<std::uint32_t>(link.time));
            }
        }
        for (std::size_t slot = 0; slot < ring; ++slot) {
            counters[4 * slot] = std::max(counts[slot], 1U);
            counters[4 * slot + 1] = 1;
            counters[4 * slot + 2] = 1;
            counters[4 * slot + 3] = counts[slot];
        }
        for (std::size_t n = 0; n < least.size(); ++n) {
            counters[least_of_pass + n] = std::bit_cast<std::uint32_t>(least[n]);
        }
    }
};

}  // namespace

struct GlGraph::State {
    GlContext context;
    NodeTileSetup setup;
    bool stored = false;
    GlProgram make_weights;
    GlProgram relax;
    GlProgram tree;
    GlBuffer slowness;
    GlBuffer star;
    GlBuffer terms;
    GlBuffer weights;

    // Of a batch.
    std::size_t shots = 0;
    GlBuffer times;
    GlBuffer keys;
    GlBuffer lists;
    GlBuffer counters;
    GlBuffer predecessors;
    GlBuffer left;
    GlBuffer links;
    int levels = 0;  ///< of the tree after its first
    std::vector<std::uint32_t> last_counters;

    std::size_t stride() const { return setup.tiles.graph.memory.count(); }
    std::size_t tile_count() const { return setup.tiles.tile_count(); }
    unsigned groups(std::size_t most) const {
        return static_cast<unsigned>(std::min<std::size_t>({most, wide, context.info().groups}));
    }

    void check_room() const {
        const std::size_t needed = room_bytes(setup.tiles);
        const std::size_t most = context.info().shared_bytes;
        if (needed <= most) return;
        const Index3 r = setup.tiles.graph.border;
        throw InputError(fmt::format(
            "device is 'opengl' (a tile of radius ({}, {}, {}) takes {} KB and a work group of {} "
            "has {}: use a smaller radius, or cpu)",
            r.x, r.y, r.z, needed / 1024, context.info().renderer, most / 1024));
    }

    void reserve(std::size_t wanted) {
        if (shots == wanted) return;
        shots = 0;
        const std::size_t entries = wanted * tile_count();
        const auto make = [&](GlBuffer& buffer, std::size_t count, const char* what) {
            buffer = {};
            buffer = GlBuffer(context, 4 * count, what);
        };
        make(times, wanted * stride(), "times");
        make(predecessors, 2 * wanted * stride(), "predecessors");
        make(keys, 2 * entries, "the update map");
        make(lists, 2 * entries, "the lists of tiles");
        make(counters, least_of_pass + ring * wanted + 2 * entries, "the counts of tiles");
        make(left, 2, "counts");
        shots = wanted;
    }

    void bind_graph() const {
        slowness.bind(1);
        star.bind(2);
        terms.bind(3);
        if (stored) {
            weights.bind(4);
        } else {
            star.bind(4);  // not used; some drivers ask for a buffer all the same
        }
    }

    void run_passes(Monitor& monitor) {
        bind_graph();
        times.bind(0);
        keys.bind(5);
        lists.bind(6);
        counters.bind(7);
        counters.bind_indirect();
        relax.use();
        relax.set(1, static_cast<unsigned>(shots));
        const std::size_t entries = shots * tile_count();
        // An indirect dispatch starts as many groups as the list is long, which is limited.
        const bool indirect = !setup.tiles.all && entries <= context.info().groups;
        std::uint32_t waiting = 1;
        for (int pass = 0; waiting > 0;) {
            monitor.check();
            for (int n = 0; n < passes_at_once; ++n, ++pass) {
                relax.set(0, pass);
                if (indirect) {
                    relax.dispatch_indirect((static_cast<std::size_t>(pass) % ring) * 16);
                } else {
                    relax.dispatch(groups(entries));
                }
            }
            counters.download(std::span(&waiting, 1),
                              4 * (static_cast<std::size_t>(pass) % ring) + 3);
            context.check("finding shortest paths");
        }
    }

    void grow_tree() {
        bind_graph();
        times.bind(0);
        predecessors.bind(5);
        links.bind(6);
        left.bind(7);
        tree.use();
        tree.set(1, static_cast<unsigned>(shots));
        tree.set(0, -1);
        tree.dispatch(1);
        std::uint32_t remaining = 0;
        levels = 0;
        for (std::uint32_t last = 0;; ++levels) {
            const std::uint32_t none[2] = {0, 0};
            left.upload(std::span<const std::uint32_t>(none));
            tree.set(0, levels);
            tree.dispatch(groups(shots * tile_count()));
            left.download(std::span(&remaining, 1), static_cast<std::size_t>(levels % 2));
            if (remaining == 0 || (levels > 0 && remaining == last)) break;
            last = remaining;
        }
        context.check("finding the paths");
    }
};

GlGraph::GlGraph(const GraphView& host, const StarTable& star, EdgeWeights weights,
                 const NodeTileTuning& tuning)
    : state_(std::make_unique<State>()) {
    State& s = *state_;
    s.setup = make_node_tiles(host, star, tuning);
    s.check_room();
    const GlScope scope(s.context);
    const std::size_t count = s.setup.tiles.tile_weights() * s.tile_count();
    s.stored =
        weights == EdgeWeights::stored || (weights == EdgeWeights::automatic &&
                                           count * sizeof(float) <= s.context.info().block_bytes);
    std::vector<std::int32_t> steps = star.step;
    steps.insert(steps.end(), s.setup.step.begin(), s.setup.step.end());
    steps.insert(steps.end(), star.first_term.begin(), star.first_term.end());
    s.star = GlBuffer(s.context, steps.size() * sizeof(std::int32_t), "the star's edges");
    s.star.upload(std::span<const std::int32_t>(steps));
    s.terms = GlBuffer(s.context, star.terms.size() * sizeof(EdgeTerm), "the star's terms");
    s.terms.upload(std::span<const EdgeTerm>(star.terms));
    s.slowness = GlBuffer(s.context, host.memory.count() * sizeof(float), "the model's nodes");
    if (s.stored) {
        s.weights = GlBuffer(s.context, count * sizeof(float), "the times of the graph's edges");
        s.make_weights =
            GlProgram(s.context, "weights", source_of(s.setup, true, shaders::weights));
    }
    s.relax = GlProgram(s.context, "relax", source_of(s.setup, s.stored, shaders::relax));
    s.tree = GlProgram(s.context, "tree", source_of(s.setup, s.stored, shaders::tree));
    s.slowness.upload(std::span<const float>(host.slowness, host.memory.count()));
    if (s.stored) {
        s.bind_graph();
        s.make_weights.use();
        s.make_weights.dispatch(s.groups(s.tile_count()));
    }
    s.context.check("making the graph");
}

GlGraph::~GlGraph() {
    // Buffers and shaders are given back while the context is at hand.
    try {
        const GlScope scope(state_->context);
        for (GlBuffer* buffer : {&state_->slowness, &state_->star, &state_->terms, &state_->weights,
                                 &state_->times, &state_->keys, &state_->lists, &state_->counters,
                                 &state_->predecessors, &state_->left, &state_->links}) {
            *buffer = {};
        }
        for (GlProgram* program : {&state_->make_weights, &state_->relax, &state_->tree}) {
            *program = {};
        }
    } catch (const ComputeError&) {
        // The context is gone, and they are with it.
    }
}

std::string GlGraph::renderer() const { return state_->context.info().renderer; }

bool GlGraph::stores_weights() const { return state_->stored; }

std::size_t GlGraph::batch(std::size_t wanted) const {
    const State& s = *state_;
    constexpr std::size_t filling_nodes = std::size_t{1} << 24;
    const std::size_t filling = std::max<std::size_t>(1, filling_nodes / s.stride());
    const std::size_t fit = s.context.info().block_bytes / (2 * sizeof(float) * s.stride());
    return std::clamp<std::size_t>(std::min({wanted, filling, fit}), 1, 256);
}

double GlGraph::set_slowness(std::span<const float> slowness) {
    State& s = *state_;
    const GlScope scope(s.context);
    s.slowness.upload(slowness);
    s.context.functions().Finish();
    const Stopwatch watch;
    if (s.stored) {
        s.bind_graph();
        s.make_weights.use();
        s.make_weights.dispatch(s.groups(s.tile_count()));
    }
    s.context.functions().Finish();
    s.context.check("making weights");
    return watch.seconds();
}

double GlGraph::solve(std::span<const std::vector<Link>> sources, Monitor& monitor,
                      const std::function<void(std::size_t)>& consume) {
    State& s = *state_;
    const GlScope scope(s.context);
    s.reserve(sources.size());
    {
        const BatchStart start(s.setup.tiles, sources);
        s.times.upload(std::span<const float>(start.times));
        s.predecessors.upload(std::span<const std::uint32_t>(start.predecessors));
        s.keys.upload(std::span<const float>(start.keys));
        s.lists.upload(std::span<const std::uint32_t>(start.lists));
        s.counters.upload(std::span<const std::uint32_t>(start.counters));
        s.links = {};
        s.links = GlBuffer(s.context, start.links.size() * sizeof(std::uint32_t), "sources");
        s.links.upload(std::span<const std::uint32_t>(start.links));
    }
    s.context.functions().Finish();
    const Stopwatch watch;
    s.run_passes(monitor);
    s.grow_tree();
    s.context.functions().Finish();
    const double seconds = watch.seconds();
    s.last_counters.resize(s.counters.bytes() / sizeof(std::uint32_t));
    s.counters.download(std::span(s.last_counters));
    for (std::size_t n = 0; n < sources.size(); ++n) consume(n);
    return seconds;
}

void GlGraph::fetch(std::size_t number, GraphField& field) const {
    const State& s = *state_;
    const std::size_t nodes = s.stride();
    s.times.download(std::span(field.times.data(), nodes), number * nodes);
    std::vector<std::uint32_t> edges(nodes);
    const std::size_t side = static_cast<std::size_t>(s.levels % 2) * s.shots * nodes;
    s.predecessors.download(std::span(edges), side + number * nodes);
    std::transform(edges.begin(), edges.end(), field.predecessor.begin(),
                   [](std::uint32_t edge) { return static_cast<std::uint16_t>(edge); });
    field.passes = s.last_counters[last_pass];
    field.relaxations = 0;
    const std::size_t rounds = least_of_pass + ring * s.shots + number * s.tile_count();
    for (std::size_t t = 0; t < s.tile_count(); ++t) {
        field.relaxations += static_cast<std::int64_t>(s.last_counters[rounds + t]) * tile_lanes *
                             s.setup.tiles.graph.edges;
    }
    s.context.check("fetching a time field");
}

}  // namespace fermat
