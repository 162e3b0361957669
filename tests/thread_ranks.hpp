#pragma once

#include <algorithm>
#include <barrier>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "core/ranks.hpp"

namespace fermat::test {

/// Ranks that are threads of one process, to test code for ranks without MPI.
class ThreadRanks : public Ranks {
  public:
    struct Shared {
        explicit Shared(int ranks) : boxes(static_cast<std::size_t>(ranks)), meet(ranks) {}
        std::mutex mutex;
        std::vector<std::deque<Message>> boxes;
        Bytes broadcast;
        std::barrier<> meet;
    };

    ThreadRanks(int rank, int size, Shared& shared) : rank_(rank), size_(size), shared_(shared) {}

    int rank() const override { return rank_; }
    int size() const override { return size_; }
    void send(int to, std::span<const std::byte> bytes) override {
        const std::lock_guard lock(shared_.mutex);
        shared_.boxes[static_cast<std::size_t>(to)].push_back(
            {rank_, Bytes(bytes.begin(), bytes.end())});
    }
    std::optional<Message> poll(int from) override {
        const std::lock_guard lock(shared_.mutex);
        auto& box = shared_.boxes[static_cast<std::size_t>(rank_)];
        const auto next = std::find_if(box.begin(), box.end(), [&](const Message& message) {
            return from == any_rank || message.from == from;
        });
        if (next == box.end()) return std::nullopt;
        Message message = std::move(*next);
        box.erase(next);
        return message;
    }
    void broadcast(std::span<std::byte> bytes) override {
        if (rank_ == 0) shared_.broadcast.assign(bytes.begin(), bytes.end());
        shared_.meet.arrive_and_wait();
        std::copy_n(shared_.broadcast.begin(), bytes.size(), bytes.begin());
        shared_.meet.arrive_and_wait();
    }

  private:
    int rank_;
    int size_;
    Shared& shared_;
};

/// Runs work(ranks) on the given number of ranks at once. Returns the exception of each.
template <class Work>
std::vector<std::exception_ptr> on_ranks(int size, Work work) {
    ThreadRanks::Shared shared(size);
    std::vector<std::exception_ptr> errors(static_cast<std::size_t>(size));
    std::vector<std::thread> threads;
    for (int r = 0; r < size; ++r) {
        threads.emplace_back([&, r] {
            ThreadRanks ranks(r, size, shared);
            try {
                work(ranks);
            } catch (...) {
                errors[static_cast<std::size_t>(r)] = std::current_exception();
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    return errors;
}

}  // namespace fermat::test
