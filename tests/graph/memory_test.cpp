#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "executions.hpp"
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

}  // namespace
}  // namespace fermat
