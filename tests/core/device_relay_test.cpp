// Sums that pass from device to device in the order of batches: the bits of one device, whatever
// the number of workers and the size of their batches. Threads stand for devices.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "core/device_relay.hpp"
#include "core/error.hpp"

namespace fermat {
namespace {

/// Adds numbers, of which the order counts.
class Adder {
  public:
    explicit Adder(std::size_t batch) : batch_(batch) {}
    std::size_t batch() const { return batch_; }
    void take_over(const Adder& before) { sum_ = before.sum_; }
    void add(BatchTurns::Batch batch) {
        for (std::size_t n = 0; n < batch.count; ++n) {
            sum_ = 0.7 * sum_ + 1.0 / static_cast<double>(batch.first + n + 3);
        }
    }
    double sum() const { return sum_; }

  private:
    std::size_t batch_;
    double sum_ = 0;
};

constexpr std::size_t jobs = 501;

double sum_of(const std::vector<std::size_t>& batches) {
    DeviceRelay<Adder> relay(jobs);
    BatchTurns turns(jobs);
    std::vector<std::thread> threads;
    for (const std::size_t batch : batches) {
        threads.emplace_back([&relay, &turns, batch] {
            relay.take_part(
                turns, [&] { return std::make_unique<Adder>(batch); },
                [](Adder&, BatchTurns::Batch) { std::this_thread::yield(); },
                [](Adder& adder, BatchTurns::Batch taken) { adder.add(taken); });
        });
    }
    for (std::thread& thread : threads) thread.join();
    double sum = 0;
    relay.finish([&](Adder& adder) { sum = adder.sum(); });
    return sum;
}

TEST(DeviceRelay, SumsDoNotDependOnTheNumberOfWorkers) {
    const double one = sum_of({jobs});
    EXPECT_EQ(sum_of({1}), one);
    EXPECT_EQ(sum_of({7, 7}), one);
    EXPECT_EQ(sum_of({3, 50, 1, 8}), one);
}

TEST(DeviceRelay, OneDeviceDoesAllOnTheCallingThread) {
    for (const std::size_t count : {std::size_t{0}, std::size_t{5}, jobs}) {
        DeviceRelay<Adder> relay(count);
        const auto caller = std::this_thread::get_id();
        std::optional<double> sum;
        relay.run([] { return std::make_unique<Adder>(10); },
                  [&](Adder&, BatchTurns::Batch) { EXPECT_EQ(std::this_thread::get_id(), caller); },
                  [](Adder& adder, BatchTurns::Batch batch) { adder.add(batch); },
                  [&](Adder& adder) { sum = adder.sum(); });
        ASSERT_TRUE(sum.has_value());
        if (count == jobs) {
            EXPECT_EQ(*sum, sum_of({jobs}));
        }
        EXPECT_EQ(*sum == 0, count == 0);
    }
}

TEST(DeviceRelay, AnErrorIsThrownAndNothingIsFinished) {
    DeviceRelay<Adder> relay(jobs);
    bool finished = false;
    EXPECT_THROW(relay.run([] { return std::make_unique<Adder>(10); },
                           [](Adder&, BatchTurns::Batch batch) {
                               if (batch.first > 100) throw ComputeError("the device is lost");
                           },
                           [](Adder& adder, BatchTurns::Batch batch) { adder.add(batch); },
                           [&](Adder&) { finished = true; }),
                 ComputeError);
    EXPECT_FALSE(finished);
}

}  // namespace
}  // namespace fermat
