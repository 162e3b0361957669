#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace fermat {

// Queues of nodes by time. Both delete lazily, as paper 2 does: a node that becomes earlier is
// pushed again, and the caller of pop() skips outdated entries.

/// What Dijkstra's method needs of a queue. pop() takes out the first node, or one of equal rank,
/// and returns false if the queue is empty.
template <class Queue>
concept TimeQueue = requires(Queue queue, float time, std::uint32_t node) {
    queue.push(time, node);
    { queue.pop(time, node) } -> std::same_as<bool>;
};

/// Nodes in buckets of equal width (Dial 1969; Dinitz 1978). If the width is at most the time of
/// the shortest edge, no node of a bucket can improve another one in it, and their order does not
/// matter. If it is larger, some nodes are taken too early and taken again later. The buckets form
/// a ring; nodes beyond it wait in a list.
class BucketQueue {
  public:
    explicit BucketQueue(float width) : inverse_width_(1 / width), buckets_(ring) {}

    void push(float time, std::uint32_t node) {
        const std::int64_t number = std::max(bucket_of(time), current_);
        ++size_;
        if (number - current_ < ring) {
            std::vector<Entry>& to = buckets_[static_cast<std::size_t>(number % ring)];
            if (to.capacity() == 0 && !spare_.empty()) {
                to = std::move(spare_.back());
                spare_.pop_back();
            }
            to.push_back({time, node});
        } else {
            beyond_.push_back({time, node});
        }
    }

    /// Takes out a node of the first bucket; returns false if the queue is empty.
    bool pop(float& time, std::uint32_t& node) {
        if (size_ == 0) return false;
        while (bucket().empty()) advance();
        --size_;
        time = bucket().back().time;
        node = bucket().back().node;
        bucket().pop_back();
        return true;
    }

  private:
    struct Entry {
        float time;
        std::uint32_t node;
    };
    static constexpr std::int64_t ring = 4096;

    std::int64_t bucket_of(float time) const {
        return static_cast<std::int64_t>(time * inverse_width_);
    }
    std::vector<Entry>& bucket() { return buckets_[static_cast<std::size_t>(current_ % ring)]; }

    void advance() {
        // Memory moves with the wave: emptied buckets pass theirs on to the next ones.
        if (bucket().capacity() > 0) {
            spare_.push_back(std::move(bucket()));
            bucket() = {};
        }
        ++current_;
        if (size_ == beyond_.size()) {
            // The ring is empty: jump to the first node in the list.
            std::int64_t first = bucket_of(beyond_.front().time);
            for (const Entry& entry : beyond_) first = std::min(first, bucket_of(entry.time));
            current_ = std::max(current_, first);
            take_in();
        } else if (current_ - taken_in_ >= ring / 2) {
            take_in();
        }
    }

    /// Moves nodes that now fit from the list into the ring. One call per half turn of the ring
    /// suffices, because nodes in the list were at least one whole ring away.
    void take_in() {
        taken_in_ = current_;
        std::vector<Entry> waiting;
        waiting.swap(beyond_);
        size_ -= waiting.size();
        for (const Entry& entry : waiting) push(entry.time, entry.node);
    }

    float inverse_width_;
    std::vector<std::vector<Entry>> buckets_;
    std::vector<Entry> beyond_;
    std::vector<std::vector<Entry>> spare_;
    std::size_t size_ = 0;
    std::int64_t current_ = 0;
    std::int64_t taken_in_ = 0;
};

/// The queue of the papers: a binary heap.
class HeapQueue {
  public:
    void push(float time, std::uint32_t node) { heap_.push({time, node}); }

    bool pop(float& time, std::uint32_t& node) {
        if (heap_.empty()) return false;
        time = heap_.top().first;
        node = heap_.top().second;
        heap_.pop();
        return true;
    }

  private:
    using Entry = std::pair<float, std::uint32_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap_;
};

}  // namespace fermat
