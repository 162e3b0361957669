#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fermat {

/// The CUDA devices to which the calling thread deals its sources, each as often as it is to work
/// at a time. By default the one in use.
std::vector<int> devices_in_use();

/// While it lives, the calling thread deals its sources to these devices.
class DevicesScope {
  public:
    /// Throws InputError for an empty list and for devices that do not exist.
    explicit DevicesScope(std::vector<int> devices);
    ~DevicesScope();
    DevicesScope(const DevicesScope&) = delete;
    DevicesScope& operator=(const DevicesScope&) = delete;

  private:
    std::vector<int> before_;
};

/// Throws InputError if several devices are in use: for methods that compute on one.
void require_one_device(const std::string& method);

/// Batches of [0, count), handed out in their order, and their turns in that order.
class BatchTurns {
  public:
    struct Batch {
        std::size_t first = 0;
        std::size_t count = 0;
    };

    explicit BatchTurns(std::size_t count) : count_(count) {}

    /// The next batch, of at most `most`; none after the last one, and after stop().
    std::optional<Batch> take(std::size_t most);
    /// Waits until all batches before this one have had their turn, then calls `use`. After stop()
    /// it does not call it.
    void in_turn(const Batch& batch, const std::function<void()>& use);
    /// Lets no one wait for a batch that failed.
    void stop();

  private:
    std::mutex mutex_;
    std::condition_variable passed_;
    std::size_t count_;
    std::size_t taken_ = 0;
    std::size_t turn_ = 0;
    bool stopped_ = false;
};

/// Lends devices to jobs on several threads: each to one job at a time.
class DeviceLoans {
  public:
    explicit DeviceLoans(std::vector<int> devices) : free_(std::move(devices)) {}

    /// Calls work(device) with a device that no other job has, and waits for one if need be.
    void with_one(const std::function<void(int)>& work);

  private:
    std::mutex mutex_;
    std::condition_variable given_back_;
    std::vector<int> free_;
};

/// Calls `work` where the calling thread computes on this device alone.
void on_device(int device, const std::function<void()>& work);

/// Calls work(turns) on one thread per device in use, which computes there; with one device, on the
/// calling thread. The first exception is rethrown here.
void on_each_device(std::size_t count, const std::function<void(BatchTurns&)>& work);

}  // namespace fermat
