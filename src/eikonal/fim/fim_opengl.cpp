#include "eikonal/fim/fim_opengl.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/gl_buffer.hpp"
#include "core/gl_context.hpp"
#include "core/gl_functions.hpp"
#include "core/gl_program.hpp"
#include "core/stopwatch.hpp"
#include "eikonal/fim/rules.hpp"
#include "eikonal/fim/tile_queue.hpp"
#include "eikonal/shaders/embed.hpp"
#include "eikonal/stencil.hpp"

namespace fermat {
namespace {

using Axes = std::array<int, 3>;

/// Passes that are started before the host asks whether any work is left.
constexpr int passes_at_once = 16;
constexpr std::size_t ring = 4;
constexpr std::size_t first_least = 4 * ring;  ///< place of the first least key in the counters

constexpr float never = std::numeric_limits<float>::infinity();

std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }

/// Nodes of a tile along outer, lane and run. A lane of the work group has a line along run.
Axes tile_size(const Grid& grid) { return grid.is_2d() ? Axes{1, 32, 32} : Axes{8, 8, 8}; }

std::string words_of(const char* name, const Axes& n) {
    return fmt::format("#define {} ivec3({}, {}, {})\n", name, n[0], n[1], n[2]);
}

/// A float that the shader reads with all its bits.
std::string exactly(float value) {
    return fmt::format("uintBitsToFloat({}u)", std::bit_cast<std::uint32_t>(value));
}

/// Where a source lies, as the shaders read it.
struct SourceBlock {
    std::int32_t node[3];
    float rest[3];
    float inverse_slowness;
};

SourceBlock source_block(const Grid& grid, const FactoredSource& source) {
    const NodeFactor nodes = reordered(node_factor(grid, source), fim_axis_order(grid));
    SourceBlock block{};
    for (int axis = 0; axis < 3; ++axis) {
        const double below = std::floor(nodes.source_node(axis));
        block.node[axis] = static_cast<std::int32_t>(below);
        block.rest[axis] = static_cast<float>(nodes.source[axis] - below * nodes.spacing[axis]);
    }
    block.inverse_slowness = static_cast<float>(1 / source.slowness);
    return block;
}

}  // namespace

struct GlFim::State {
    GlContext context;
    Grid grid;
    Axes shape{};
    Axes tile{};
    Axes tiles{};
    std::vector<float> velocity;
    std::vector<int> orders;  ///< of accuracy, one after the other
    std::vector<GlProgram> programs;
    GlBuffer held_velocity;
    GlBuffer tau;
    GlBuffer states;
    GlBuffer lists;
    GlBuffer counters;
    GlBuffer source;
    int passes = 0;

    std::size_t tile_count() const {
        return static_cast<std::size_t>(tiles[0]) * static_cast<std::size_t>(tiles[1]) *
               static_cast<std::size_t>(tiles[2]);
    }
    std::size_t tile_at(const Axes& node) const {
        std::size_t number = 0;
        for (std::size_t d = 0; d < 3; ++d) {
            number = number * static_cast<std::size_t>(tiles[d]) +
                     static_cast<std::size_t>(node[d] / tile[d]);
        }
        return number;
    }
    int parity(std::size_t number) const {
        const std::size_t column = number / static_cast<std::size_t>(tiles[2]);
        const std::size_t sum = column / static_cast<std::size_t>(tiles[1]) +
                                column % static_cast<std::size_t>(tiles[1]) +
                                number % static_cast<std::size_t>(tiles[2]);
        return static_cast<int>(sum % 2);
    }

    std::string text_of(int order) const {
        const NodeFactor nodes = reordered(node_factor(grid, {}), fim_axis_order(grid));
        float crossing = 0;
        std::string spacing;
        for (int axis = 0; axis < 3; ++axis) {
            const double h = nodes.spacing[axis];
            spacing += (axis > 0 ? ", " : "") + exactly(static_cast<float>(h));
            crossing =
                std::max(crossing, static_cast<float>(tile[static_cast<std::size_t>(axis)] * h));
        }
        const bool flat = grid.is_2d();
        std::string text = "#version 430 core\n";
        text += words_of("SHAPE", shape) + words_of("TILE", tile) + words_of("TILES", tiles);
        text += fmt::format(
            "#define DIM {}\n#define ORDER {}\n#define LANES {}\n#define SPACING vec3({})\n"
            "#define TOLERANCE {}\n#define PATIENCE {}\n#define FREE_VISITS {}u\n"
            "#define MOST_VISITS {}u\n#define MOST_GROUPS {}u\n",
            flat ? 2 : 3, order, tile[0] * tile[1], spacing,
            exactly(order == 1 ? fim_tolerance<float, 1> : fim_tolerance<float, 2>),
            exactly(TileQueue::patience * crossing), fim_free_visits, fim_most_visits,
            context.info().groups);
        text += shaders::stencil;
        text += shaders::fim;
        return text;
    }

    /// Lists, states and counters before the first pass; `active` are the tiles to visit.
    void start_queue(const std::vector<std::size_t>& active) {
        const std::size_t count = tile_count();
        std::vector<std::uint32_t> state(3 * count, 0);
        for (std::size_t n = 0; n < count; ++n) state[3 * n] = bits_of(never);
        std::vector<std::uint32_t> list(ring * count, 0);
        std::vector<std::uint32_t> counter(first_least + 2 * ring, bits_of(never));
        for (std::size_t slot = 0; slot < ring; ++slot) {
            counter[4 * slot] = counter[4 * slot + 1] = counter[4 * slot + 2] = 1;
            counter[4 * slot + 3] = 0;
        }
        for (const std::size_t number : active) {
            const auto slot = static_cast<std::size_t>(parity(number));
            list[slot * count + counter[4 * slot + 3]++] = static_cast<std::uint32_t>(number);
            counter[4 * slot] = std::min(counter[4 * slot + 3], context.info().groups);
            state[3 * number] = 0;
            state[3 * number + 1] = TileQueue::by_itself;
        }
        states.upload(std::span<const std::uint32_t>(state));
        lists.upload(std::span<const std::uint32_t>(list));
        counters.upload(std::span<const std::uint32_t>(counter));
    }

    void run_passes(const GlProgram& program, Monitor& monitor) {
        held_velocity.bind(0);
        tau.bind(1);
        states.bind(2);
        lists.bind(3);
        counters.bind(4);
        source.bind(5);
        counters.bind_indirect();
        program.use();
        std::array<std::uint32_t, 4 * ring> waiting{};
        for (int pass = 0;;) {
            monitor.check();
            for (int n = 0; n < passes_at_once; ++n, ++pass, ++passes) {
                program.set(0, pass);
                program.dispatch_indirect((static_cast<std::size_t>(pass) % ring) * 16);
            }
            counters.download(std::span<std::uint32_t>(waiting));
            context.check("solving the eikonal equation");
            const auto left = [&](int of) {
                return waiting[4 * (static_cast<std::size_t>(of) % ring) + 3];
            };
            if (left(pass) == 0 && left(pass + 1) == 0) return;
        }
    }

    std::vector<std::size_t> near_starts(const FactoredSource& from) const {
        std::set<std::size_t> near;
        for (const StartNode& start : from.starts) {
            const auto node = fim_axes(grid, start.node.x, start.node.y, start.node.z, 0);
            for_each_reader(node, orders.front(), shape,
                            [&](const Axes& reader) { near.insert(tile_at(reader)); });
        }
        return {near.begin(), near.end()};
    }
};

GlFim::GlFim(const Model& model, int order) : state_(std::make_unique<State>()) {
    State& s = *state_;
    s.grid = model.grid();
    s.shape = fim_axes(s.grid, s.grid.shape.x, s.grid.shape.y, s.grid.shape.z, 1);
    s.tile = tile_size(s.grid);
    for (std::size_t d = 0; d < 3; ++d) s.tiles[d] = (s.shape[d] + s.tile[d] - 1) / s.tile[d];
    s.velocity.assign(model.velocity().begin(), model.velocity().end());
    s.orders = order == 2 && has_long_cells(s.grid) ? std::vector{1, 2} : std::vector{order};
    const GlScope scope(s.context);
    const std::size_t nodes = s.grid.node_count();
    const std::size_t tiles = s.tile_count();
    s.held_velocity = GlBuffer(s.context, nodes * sizeof(float), "the model's nodes");
    s.tau = GlBuffer(s.context, nodes * sizeof(float), "times");
    s.states = GlBuffer(s.context, 3 * tiles * sizeof(std::uint32_t), "the states of tiles");
    s.lists = GlBuffer(s.context, ring * tiles * sizeof(std::uint32_t), "the lists of tiles");
    s.counters = GlBuffer(s.context, (first_least + 2 * ring) * sizeof(std::uint32_t),
                          "the counts of tiles");
    s.source = GlBuffer(s.context, sizeof(SourceBlock), "the source");
    for (const int each : s.orders) {
        s.programs.emplace_back(s.context, fmt::format("fim of order {}", each), s.text_of(each));
    }
    s.context.check("making the eikonal solver");
}

GlFim::~GlFim() {
    // Buffers and shaders are given back while the context is at hand.
    try {
        const GlScope scope(state_->context);
        for (GlBuffer* buffer : {&state_->held_velocity, &state_->tau, &state_->states,
                                 &state_->lists, &state_->counters, &state_->source}) {
            *buffer = {};
        }
        state_->programs.clear();
    } catch (const ComputeError&) {
        // The context is gone, and they are with it.
    }
}

int GlFim::passes() const { return state_->passes; }

double GlFim::solve(const FactoredSource& source, FieldView<float> tau, Monitor& monitor) {
    State& s = *state_;
    if (source.is_front()) {
        throw InputError("device is 'opengl' (which solves points, not fronts: use cpu or cuda)");
    }
    const GlScope scope(s.context);
    // Start nodes keep their times: as in air, nothing is computed at them.
    std::vector<float> held = s.velocity;
    std::fill(tau.begin(), tau.end(), unreached<float>);
    for (const StartNode& start : source.starts) {
        const std::size_t n = s.grid.shape.offset(start.node);
        held[n] = 0;
        tau[n] = static_cast<float>(start.tau);
    }
    s.held_velocity.upload(std::span<const float>(held));
    s.tau.upload(std::span<const float>(tau.data(), tau.size()));
    const SourceBlock block = source_block(s.grid, source);
    s.source.upload(std::span<const SourceBlock>(&block, 1));
    s.passes = 0;
    s.context.functions().Finish();
    const Stopwatch watch;
    std::vector<std::size_t> active = s.near_starts(source);
    for (std::size_t n = 0; n < s.programs.size(); ++n) {
        s.start_queue(active);
        s.run_passes(s.programs[n], monitor);
        if (n + 1 == s.programs.size()) break;
        active.resize(s.tile_count());
        for (std::size_t tile = 0; tile < active.size(); ++tile) active[tile] = tile;
    }
    s.context.functions().Finish();
    const double seconds = watch.seconds();
    s.tau.download(std::span(tau.data(), tau.size()));
    s.context.check("fetching a time field");
    for (float& value : tau) {
        if (!(value < reached_limit<float>)) value = never;
    }
    return seconds;
}

}  // namespace fermat
