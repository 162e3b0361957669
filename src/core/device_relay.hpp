#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/device.hpp"
#include "core/device_team.hpp"
#include "core/stream.hpp"

namespace fermat {

/// Sums over [0, count) on the CUDA devices in use, in the order of batches: a Worker per device
/// takes batches as it becomes free, and each takes the sums over from the one before it in turn,
/// worker.take_over(before). So the sums do not depend on the number of devices if they do not
/// depend on the size of batches.
template <class Worker>
class DeviceRelay {
  public:
    using Make = std::function<std::unique_ptr<Worker>()>;
    using Step = std::function<void(Worker&, BatchTurns::Batch)>;

    explicit DeviceRelay(std::size_t count) : count_(count) {}
    DeviceRelay(const DeviceRelay&) = delete;
    DeviceRelay& operator=(const DeviceRelay&) = delete;
    ~DeviceRelay() {
        for (Kept& kept : kept_) {
            try {
                in_place(kept.device, [&] { kept.worker.reset(); });
            } catch (const std::exception&) {
                // Only a dead driver refuses a device that was in use, and every later call tells.
            }
        }
    }

    /// make() gives the worker of the device in use; compute() works on a batch beside the other
    /// devices, add() adds it to the sums in its turn. At the end see() is shown the worker that
    /// has all sums, on its device.
    void run(const Make& make, const Step& compute, const Step& add,
             const std::function<void(Worker&)>& see) {
        on_each_device(count_, [&](BatchTurns& turns) { take_part(turns, make, compute, add); });
        finish(see);
    }
    /// Shows the worker that has all sums.
    void finish(const std::function<void(Worker&)>& see) {
        for (const Kept& kept : kept_) {
            if (last_ != nullptr && last_ != kept.worker.get()) continue;
            return in_place(kept.device, [&] { see(*kept.worker); });
        }
    }
    /// What one device does.
    void take_part(BatchTurns& turns, const Make& make, const Step& compute, const Step& add) {
        Worker& own = keep(make());
        while (const auto batch = turns.take(own.batch())) {
            compute(own, *batch);
            turns.in_turn(*batch, [&] {
                if (last_ != nullptr && last_ != &own) own.take_over(*last_);
                last_ = &own;
                add(own, *batch);
            });
        }
    }

  private:
    struct Kept {
        int device = 0;
        std::unique_ptr<Worker> worker;
    };
    Worker& keep(std::unique_ptr<Worker> worker) {
        const std::lock_guard lock(mutex_);
        kept_.push_back({device_in_use(), std::move(worker)});
        return *kept_.back().worker;
    }
    /// On the device of a worker; on the stream in use if it is that one.
    template <class Work>
    static void in_place(int device, Work work) {
        if (device == device_in_use()) return work();
        const StreamScope scope(device, 0);
        work();
    }

    std::size_t count_;
    std::mutex mutex_;
    std::vector<Kept> kept_;
    Worker* last_ = nullptr;
};

}  // namespace fermat
