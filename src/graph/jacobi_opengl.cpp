#include "graph/jacobi_opengl.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include "core/error.hpp"
#include "core/gl_buffer.hpp"
#include "core/gl_context.hpp"
#include "core/gl_functions.hpp"
#include "core/gl_program.hpp"
#include "core/stopwatch.hpp"
#include "graph/shader_words.hpp"
#include "graph/shaders/embed.hpp"
#include "graph/work_group_setup.hpp"

namespace fermat {
namespace {

/// Invocations of a work group; every OpenGL 4.3 has as many. Nodes of larger groups take turns.
constexpr int most_invocations = 1024;

/// The numbers of one graph, what all shaders of graphs share, and the text of this one. `stage` is
/// PRECALCULATE, RELAXATION or WRITE_BACK.
std::string source_of(const WorkGroups& groups, bool stored, std::string_view stage) {
    const GraphView& g = groups.graph;
    std::string text = graph_words(g, groups.size, groups.groups, groups.memory, groups.reach);
    text += fmt::format(
        "#define LANES {}\n#define EDGES {}\n#define STORED {}\n#define MAP {}\n#define WALK {}\n",
        std::min(groups.lanes(), most_invocations), g.edges, stored ? 1 : 0, groups.map ? 1 : 0,
        groups.walk ? 1 : 0);
    for (const std::string_view name : {"PRECALCULATE", "RELAXATION", "WRITE_BACK"}) {
        text += fmt::format("#define {} {}\n", name, name == stage ? 1 : 0);
    }
    text += shaders::graph;
    text += shaders::jacobi;
    return text;
}

}  // namespace

struct GlJacobi::State {
    GlContext context;
    WorkGroups groups;
    bool stored = false;
    GlProgram precalculate;
    GlProgram relaxation;
    GlProgram write_back;
    GlBuffer slowness;
    GlBuffer star;
    GlBuffer terms;
    GlBuffer weights;
    GlBuffer times;
    GlBuffer aux_times;
    GlBuffer predecessors;
    GlBuffer marks;  ///< whether anything changed, two maps, visits
    std::int64_t passes = 0;
    std::vector<std::uint32_t> last_marks;

    std::size_t nodes() const { return groups.graph.memory.count(); }
    unsigned launched() const {
        return static_cast<unsigned>(
            std::min<std::size_t>(groups.group_count(), context.info().groups));
    }

    void check_room() const {
        const std::size_t needed = room_bytes(groups);
        const std::size_t most = context.info().shared_bytes;
        if (needed <= most) return;
        const Index3 r = groups.graph.border;
        throw InputError(fmt::format(
            "device is 'opengl' (a work group of radius ({}, {}, {}) takes {} KB and one of {} has "
            "{}: use a smaller radius, or cpu)",
            r.x, r.y, r.z, needed / 1024, context.info().renderer, most / 1024));
    }

    void bind() const {
        times.bind(0);
        slowness.bind(1);
        star.bind(2);
        terms.bind(3);
        (stored ? weights : star).bind(4);  // some drivers ask for a buffer that is not used
        aux_times.bind(5);
        predecessors.bind(6);
        marks.bind(7);
    }

    void make_weights() {
        if (!stored) return;
        bind();
        precalculate.use();
        precalculate.dispatch(launched());
    }

    void start(const std::vector<Link>& links) {
        constexpr float never = std::numeric_limits<float>::infinity();
        std::vector<float> tt(nodes(), never);
        aux_times.upload(std::span<const float>(tt));
        std::vector<std::uint32_t> pr(2 * nodes(), from_nowhere);
        std::vector<std::uint32_t> first(3 * groups.group_count() + 1, 0);
        for (const Link& link : links) {
            tt[link.place] = link.time;
            pr[link.place] = from_source;
            first[1 + groups.group_of(groups.graph.node(link.place))] = 1;
        }
        times.upload(std::span<const float>(tt));
        predecessors.upload(std::span<const std::uint32_t>(pr));
        marks.upload(std::span<const std::uint32_t>(first));
    }

    void run(Monitor& monitor) {
        bind();
        passes = 0;
        std::uint32_t changed = 1;
        while (changed != 0) {
            monitor.check();
            const auto pass = static_cast<int>(passes % 2);
            relaxation.use();
            relaxation.set(0, pass);
            relaxation.dispatch(launched());
            write_back.use();
            write_back.set(0, pass);
            write_back.dispatch(launched());
            marks.download(std::span(&changed, 1));
            const std::uint32_t none = 0;
            marks.upload(std::span(&none, 1));
            ++passes;
            context.check("finding shortest paths");
        }
    }
};

GlJacobi::GlJacobi(const GraphView& host, const StarTable& star, EdgeWeights weights,
                   TileVisits visits)
    : state_(std::make_unique<State>()) {
    State& s = *state_;
    const WorkGroupSetup setup = make_work_groups(host, star, visits);
    s.groups = setup.groups;
    s.check_room();
    const GlScope scope(s.context);
    const std::size_t count = static_cast<std::size_t>(host.edges / 2) * s.nodes();
    s.stored =
        weights == EdgeWeights::stored || (weights == EdgeWeights::automatic &&
                                           count * sizeof(float) <= s.context.info().block_bytes);
    // Steps in memory, steps in the copy, first terms, then offsets and lengths for Algorithm A-1.
    std::vector<std::int32_t> numbers = star.step;
    numbers.insert(numbers.end(), setup.step.begin(), setup.step.end());
    numbers.insert(numbers.end(), star.first_term.begin(), star.first_term.end());
    for (std::size_t e = 0; e < star.offset.size(); ++e) {
        const Index3 o = star.offset[e];
        numbers.insert(numbers.end(), {o.x, o.y, o.z, std::bit_cast<std::int32_t>(star.length[e])});
    }
    const auto room = [&](std::size_t values, const char* what) {
        return GlBuffer(s.context, 4 * values, what);
    };
    s.star = room(numbers.size(), "the star's edges");
    s.star.upload(std::span<const std::int32_t>(numbers));
    s.terms = GlBuffer(s.context, setup.terms.size() * sizeof(EdgeTerm), "the star's terms");
    s.terms.upload(std::span<const EdgeTerm>(setup.terms));
    s.slowness = room(s.nodes(), "the model's nodes");
    s.times = room(s.nodes(), "times");
    s.aux_times = room(s.nodes(), "times");
    s.predecessors = room(2 * s.nodes(), "predecessors");
    s.marks = room(3 * static_cast<std::size_t>(s.groups.group_count()) + 1, "the update map");
    if (s.stored) {
        s.weights = room(count, "the times of the graph's edges");
        const std::vector<float> never(count, std::numeric_limits<float>::infinity());
        s.weights.upload(std::span<const float>(never));
        s.precalculate =
            GlProgram(s.context, "precalculate weights", source_of(s.groups, true, "PRECALCULATE"));
    }
    s.relaxation = GlProgram(s.context, "relaxation", source_of(s.groups, s.stored, "RELAXATION"));
    s.write_back = GlProgram(s.context, "write back", source_of(s.groups, s.stored, "WRITE_BACK"));
    s.slowness.upload(std::span<const float>(host.slowness, host.memory.count()));
    s.make_weights();
    s.context.check("making the graph");
}

GlJacobi::~GlJacobi() {
    // Buffers and shaders are given back while the context is at hand.
    try {
        State& s = *state_;
        const GlScope scope(s.context);
        for (GlBuffer* buffer : {&s.slowness, &s.star, &s.terms, &s.weights, &s.times, &s.aux_times,
                                 &s.predecessors, &s.marks}) {
            *buffer = {};
        }
        for (GlProgram* program : {&s.precalculate, &s.relaxation, &s.write_back}) *program = {};
    } catch (const ComputeError&) {
        // The context is gone, and they are with it.
    }
}

bool GlJacobi::stores_weights() const { return state_->stored; }

std::size_t GlJacobi::batch(std::size_t) const { return 1; }

double GlJacobi::set_slowness(std::span<const float> slowness) {
    State& s = *state_;
    const GlScope scope(s.context);
    s.slowness.upload(slowness);
    s.context.functions().Finish();
    const Stopwatch watch;
    s.make_weights();
    s.context.functions().Finish();
    s.context.check("making weights");
    return watch.seconds();
}

double GlJacobi::solve(std::span<const std::vector<Link>> sources, Monitor& monitor,
                       const std::function<void(std::size_t)>& consume) {
    State& s = *state_;
    const GlScope scope(s.context);
    double seconds = 0;
    for (std::size_t n = 0; n < sources.size(); ++n) {
        s.start(sources[n]);
        s.context.functions().Finish();
        const Stopwatch watch;
        s.run(monitor);
        s.context.functions().Finish();
        seconds += watch.seconds();
        s.last_marks.resize(s.marks.bytes() / sizeof(std::uint32_t));
        s.marks.download(std::span(s.last_marks));
        consume(n);
    }
    return seconds;
}

void GlJacobi::fetch(std::size_t, GraphField& field) const {
    const State& s = *state_;
    s.times.download(std::span(field.times.data(), s.nodes()));
    std::vector<std::uint32_t> edges(s.nodes());
    s.predecessors.download(std::span(edges));
    std::transform(edges.begin(), edges.end(), field.predecessor.begin(),
                   [](std::uint32_t edge) { return static_cast<std::uint16_t>(edge); });
    field.passes = s.passes;
    field.relaxations = 0;
    const std::size_t visits = 1 + 2 * static_cast<std::size_t>(s.groups.group_count());
    for (unsigned group = 0; group < s.groups.group_count(); ++group) {
        field.relaxations += static_cast<std::int64_t>(s.last_marks[visits + group]) *
                             s.groups.nodes_in(group) * s.groups.graph.edges;
    }
    s.context.check("fetching a time field");
}

}  // namespace fermat
