#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/memory.hpp"
#include "core/notes.hpp"
#include "executions.hpp"
#include "expect_error.hpp"
#include "graph/graph.hpp"
#include "model/makers.hpp"

namespace {

std::atomic<std::size_t> live{0};
std::atomic<std::size_t> peak{0};

void* counted(std::size_t bytes) {
    void* const memory = std::malloc(bytes);
    if (memory == nullptr) throw std::bad_alloc();
    const std::size_t now = live += malloc_usable_size(memory);
    std::size_t seen = peak;
    while (now > seen && !peak.compare_exchange_weak(seen, now)) {
    }
    return memory;
}

void released(void* memory) noexcept {
    live -= malloc_usable_size(memory);
    std::free(memory);
}

}  // namespace

void* operator new(std::size_t bytes) { return counted(bytes); }
void* operator new[](std::size_t bytes) { return counted(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return counted(bytes); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return counted(bytes); }
void operator delete(void* memory) noexcept { released(memory); }
void operator delete[](void* memory) noexcept { released(memory); }
void operator delete(void* memory, std::size_t) noexcept { released(memory); }
void operator delete[](void* memory, std::size_t) noexcept { released(memory); }

namespace fermat {
namespace {

TEST(Memory, OnTheFlyIsSixteenBytesANodeAtMost) {
    const Model model = gradient_model({{400, 1, 400}, {}, {1, 1, 1}}, 1, 0.01);
    for (const GraphSolver solver : {GraphSolver::dijkstra, GraphSolver::bellman_ford}) {
        GraphOptions options;
        options.solver = solver;
        options.radius = {1, 0, 1};
        options.weights = EdgeWeights::computed;
        const std::size_t before = live;
        peak = before;
        const GraphField field = solve(Graph(model, options, test::on_cpu()), {}, test::on_cpu());
        EXPECT_LT(static_cast<double>(peak - before) / static_cast<double>(400 * 400), 16.0)
            << name_of(solver);
    }
}

/// While it lives, the process is allowed so much memory.
class AllowedMemory {
  public:
    explicit AllowedMemory(const char* bytes) { setenv("FERMAT_MEMORY", bytes, 1); }
    ~AllowedMemory() { unsetenv("FERMAT_MEMORY"); }
};

GraphOptions tiles_of_radius(int radius) {
    GraphOptions options;
    options.solver = GraphSolver::bellman_ford;
    options.radius = {radius, 0, radius};
    return options;
}

TEST(Memory, WeightsThatDoNotFitAreTold) {
    const Model model = gradient_model({{100, 1, 100}, {}, {1, 1, 1}}, 1, 0.01);
    const GraphOptions options = tiles_of_radius(5);
    const auto told = [&] {
        const Graph graph(model, options, test::on_cpu());
        Notes notes;
        graph.tell(notes);
        return std::pair(graph.stores_weights(), notes.sentences());
    };
    EXPECT_EQ(told(), std::pair(true, std::vector<std::string>()));
    // 40 edges each way of 110 x 110 nodes take 1.9 MB.
    const AllowedMemory little("4M");
    const auto [stores, sentences] = told();
    EXPECT_FALSE(stores);
    ASSERT_EQ(sentences.size(), 1U);
    EXPECT_NE(sentences[0].find("would take 0.0 GB, more than a quarter of this machine's memory: "
                                "they are computed at every visit"),
              std::string::npos)
        << sentences[0];
}

TEST(Memory, SwappedWeightsAreOfTheCudaDevice) {
    const Model model = gradient_model({{20, 1, 20}, {}, {1, 1, 1}}, 1, 0.01);
    GraphOptions options = tiles_of_radius(2);
    options.weights = EdgeWeights::swapped;
    test::expect_error<InputError>([&] { Graph(model, options, test::on_cpu()); },
                                   "weights is 'swapped' and the graph is solved on the CPU");
}

TEST(Memory, TheVariableThatBoundsItMustBeANumber) {
    const AllowedMemory wrong("much");
    test::expect_error<InputError>([] { machine_memory(); }, "FERMAT_MEMORY is 'much'");
}

}  // namespace
}  // namespace fermat
