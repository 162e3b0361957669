#include "core/monitor.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <string>
#include <vector>

#include "core/cancel.hpp"
#include "core/error.hpp"
#include "core/parallel.hpp"

namespace fermat {
namespace {

TEST(Monitor, ListenerHearsTheBeginningTheStepsAndTheEnd) {
    std::vector<std::string> heard;
    Monitor monitor([&](const ProgressEvent& e) {
        heard.push_back(std::string(e.task) + " " + std::to_string(e.done) + "/" +
                        std::to_string(e.total) + (e.finished ? " end" : ""));
    });
    monitor.begin("solve", 3);
    monitor.advance();
    monitor.advance(2);
    monitor.end();
    EXPECT_EQ(heard,
              (std::vector<std::string>{"solve 0/3", "solve 1/3", "solve 3/3", "solve 3/3 end"}));
}

TEST(Monitor, CountsEveryStepOfEveryThread) {
    std::int64_t last = 0;
    Monitor monitor([&](const ProgressEvent& e) {
        if (e.finished) last = e.done;
    });
    monitor.begin("work", 5000);
    parallel_for(5000, 4, [&](std::int64_t) { monitor.advance(); });
    monitor.end();
    EXPECT_EQ(last, 5000);
}

TEST(Monitor, CheckThrowsOnceAStopIsAskedFor) {
    bool stop = false;
    const Monitor monitor({}, [&] { return stop; });
    EXPECT_NO_THROW(monitor.check());
    stop = true;
    EXPECT_TRUE(monitor.stop_requested());
    EXPECT_THROW(monitor.check(), Cancelled);
}

TEST(Monitor, AStopEndsAParallelLoopEarly) {
    std::atomic<int> calls{0};
    const Monitor monitor({}, [&] { return calls > 10; });
    EXPECT_THROW(parallel_for(1000000, 2,
                              [&](std::int64_t) {
                                  ++calls;
                                  monitor.check();
                              }),
                 Cancelled);
    EXPECT_LT(calls, 1000);
}

TEST(Monitor, TheSilentOneNeverStops) {
    silent_monitor().begin("quiet", 1);
    silent_monitor().advance();
    silent_monitor().end();
    EXPECT_NO_THROW(silent_monitor().check());
}

TEST(SignalGuard, TurnsAnInterruptIntoAStopAndRestoresTheHandler) {
    struct sigaction before {};
    sigaction(SIGINT, nullptr, &before);
    {
        const SignalGuard guard;
        const Monitor monitor({}, [] { return SignalGuard::stop_requested(); });
        EXPECT_NO_THROW(monitor.check());
        std::raise(SIGINT);
        EXPECT_THROW(monitor.check(), Cancelled);
    }
    struct sigaction after {};
    sigaction(SIGINT, nullptr, &after);
    EXPECT_EQ(before.sa_handler, after.sa_handler);
    const SignalGuard fresh;
    EXPECT_FALSE(SignalGuard::stop_requested()) << "an old interrupt must not stop new work";
}

}  // namespace
}  // namespace fermat
