#include "core/device_team.hpp"

#include <algorithm>
#include <string>
#include <thread>
#include <utility>

#include "core/crew.hpp"
#include "core/device.hpp"
#include "core/error.hpp"
#include "core/parallel.hpp"
#include "core/stream.hpp"

namespace fermat {
namespace {

/// Empty: the device in use.
thread_local std::vector<int> chosen;

}  // namespace

std::vector<int> devices_in_use() { return chosen.empty() ? std::vector{device_in_use()} : chosen; }

DevicesScope::DevicesScope(std::vector<int> devices) {
    if (devices.empty()) {
        throw InputError("no device is named (name CUDA devices by their numbers, as 0,1)");
    }
    for (const int device : devices) device_info(device);
    before_ = std::exchange(chosen, std::move(devices));
}

DevicesScope::~DevicesScope() { chosen = std::move(before_); }

void require_one_device(const std::string& method) {
    if (chosen.size() < 2) return;
    throw InputError(
        std::to_string(chosen.size()) + " devices are named (" + method +
        " computes on one: name one; fields of fim, their rays and shortest paths take several)");
}

std::optional<BatchTurns::Batch> BatchTurns::take(std::size_t most) {
    const std::lock_guard lock(mutex_);
    if (stopped_ || taken_ == count_) return std::nullopt;
    const Batch batch{taken_, std::min(most, count_ - taken_)};
    taken_ += batch.count;
    return batch;
}

void BatchTurns::in_turn(const Batch& batch, const std::function<void()>& use) {
    {
        std::unique_lock lock(mutex_);
        passed_.wait(lock, [&] { return stopped_ || turn_ == batch.first; });
        if (stopped_) return;
    }
    use();
    const std::lock_guard lock(mutex_);
    turn_ += batch.count;
    passed_.notify_all();
}

void BatchTurns::stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    passed_.notify_all();
}

void DeviceLoans::with_one(const std::function<void(int)>& work) {
    int device = 0;
    {
        std::unique_lock lock(mutex_);
        given_back_.wait(lock, [&] { return !free_.empty(); });
        device = free_.back();
        free_.pop_back();
    }
    const auto give_back = [&] {
        const std::lock_guard lock(mutex_);
        free_.push_back(device);
        given_back_.notify_one();
    };
    try {
        work(device);
    } catch (...) {
        give_back();
        throw;
    }
    give_back();
}

void on_device(int device, const std::function<void()>& work) {
    const DevicesScope alone({device});
    const StreamScope scope(device, 0);
    work();
}

void on_each_device(std::size_t count, const std::function<void(BatchTurns&)>& work) {
    BatchTurns turns(count);
    std::vector<int> devices = devices_in_use();
    devices.resize(std::clamp<std::size_t>(count, 1, devices.size()));
    if (devices.size() == 1) {
        if (devices.front() == device_in_use()) return work(turns);
        const StreamScope scope(devices.front(), 0);
        return work(turns);
    }
    ErrorTrap trap;
    const auto compute = [&](int device) {
        trap.run([&] {
            try {
                const StreamScope scope(device, 0);
                work(turns);
            } catch (...) {
                turns.stop();
                throw;
            }
        });
    };
    std::vector<std::thread> threads;
    for (std::size_t n = 1; n < devices.size() && !trap.tripped(); ++n) {
        trap.run([&] {
            threads.push_back(start_thread(static_cast<int>(n) + 1,
                                           static_cast<int>(devices.size()),
                                           [&compute, &devices, n] { compute(devices[n]); }));
        });
    }
    // The calling thread takes the first device.
    compute(devices.front());
    for (std::thread& thread : threads) thread.join();
    trap.rethrow();
}

}  // namespace fermat
