// If the machine refuses threads, the error is one sentence. A million threads are refused at once.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <functional>

#include "core/deal.hpp"
#include "core/parallel.hpp"
#include "core/teams.hpp"
#include "executions.hpp"
#include "expect_error.hpp"
#include "graph/graph.hpp"
#include "model/makers.hpp"
#include "tomography/smoothing/smoothing.hpp"
#include "tomography/synthetic.hpp"

namespace fermat {
namespace {

TEST(Threads, AMillionIsRefusedAtEveryDoor) {
    const Model model = gradient_model({{9, 1, 9}, {0, 0, 0}, {1, 1, 1}}, 2, 0.1);
    const Execution million = test::on_cpu(1000000);
    const auto refused = [](const std::function<void()>& call) {
        test::expect_error<InputError>(call, "threads is 1000000", "4096");
    };
    refused([] { resolve_threads(1000000); });
    refused([&] { solve(model, PointSource{{0, 0, 0}, 0}, {}, million); });
    refused([&] { const Graph made(model, {}, million); });
    refused([&] {
        const std::vector<PointSource> source{{{0, 0, 0}, 0}};
        const std::vector<Vec3> receiver{{8, 0, 0}};
        trace_rays(model, survey_of(source, receiver), {}, million);
    });
    EXPECT_EQ(resolve_threads(most_threads), most_threads);
}

#if !defined(__SANITIZE_ADDRESS__)

/// Calls `work` in a process whose memory holds only a few stacks, and expects that sentence.
void expect_refused(const std::function<void()>& work) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(30);
        rlimit limit{std::size_t{600} << 20, std::size_t{600} << 20};
        setrlimit(RLIMIT_AS, &limit);
        try {
            work();
        } catch (const ComputeError& error) {
            const std::string text = error.what();
            const bool good = text.find("cannot start thread") == 0 &&
                              text.find(" of 512 (") != std::string::npos &&
                              text.find("use fewer threads") != std::string::npos;
            // Work that needs fewer threads still succeeds.
            std::atomic<int> sum{0};
            parallel_for(100, 2, [&](std::int64_t) { ++sum; });
            _exit(good && sum == 100 ? 0 : 2);
        } catch (...) {
            _exit(3);
        }
        _exit(4);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(Threads, RefusedOnesAreOneSentence) {
    expect_refused([] { parallel_for(1000, 512, [](std::int64_t) {}); });
    expect_refused([] { for_each_by_teams(512, 1024, [](std::int64_t, int) {}); });
    expect_refused([] {
        deal_in_order(
            serial_ranks(), 10, 512, [](std::int64_t) { return Bytes(); },
            [](std::int64_t, const Bytes&) {});
    });
}

#endif

}  // namespace
}  // namespace fermat
