#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

namespace fermat {

/// A node on the front of a fast march and its time, ordered by time, then by node. Times are not
/// negative, so their bits sort in the same order.
class MarchItem {
  public:
    MarchItem() = default;
    MarchItem(float time, std::uint32_t node)
        : bits_(static_cast<std::uint64_t>(std::bit_cast<std::uint32_t>(time)) << 32 | node) {}

    float time() const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits_ >> 32)); }
    std::uint32_t node() const { return static_cast<std::uint32_t>(bits_); }

    friend auto operator<=>(const MarchItem&, const MarchItem&) = default;

  private:
    std::uint64_t bits_ = 0;
};

/// What a calendar queue orders: items have a time that is not negative and a node, and smaller
/// items are not later.
template <class Item>
concept QueueItem = std::totally_ordered<Item> && requires(Item item) {
    { item.time() } -> std::convertible_to<double>;
    { item.node() } -> std::convertible_to<std::uint32_t>;
};

/// A front, earliest first: a calendar queue (Brown 1988) that keeps the exact order. Items lie
/// unsorted in buckets of equal width in time. Only the current bucket is sorted; items that arrive
/// in it later go into a small heap. If the time of a node changes, its old item stays: the caller
/// pushes a new one and drops the outdated one.
template <QueueItem Item>
class CalendarQueue {
  public:
    explicit CalendarQueue(double bucket_width)
        : per_width_(static_cast<float>(1 / bucket_width)), ring_(ring_size) {}

    void push(Item item) {
        const std::int64_t bucket = bucket_of(item);
        if (bucket <= current_) {
            late_.push_back(item);
            std::push_heap(late_.begin(), late_.end(), std::greater<>());
        } else if (bucket < current_ + ring_size) {
            put_in_ring(bucket, item);
        } else {
            beyond_.push_back(item);
        }
    }

    /// Takes out the first item; returns false if there is none. Drops items for which is_stale is
    /// true when their bucket becomes current.
    template <std::predicate<Item> Stale>
    bool pop(Item& item, Stale is_stale) {
        while (next_ == sorted_.size() && late_.empty()) {
            if (!advance()) return false;
            std::erase_if(sorted_, is_stale);
            std::sort(sorted_.begin(), sorted_.end());
        }
        if (next_ < sorted_.size() && (late_.empty() || sorted_[next_] < late_.front())) {
            item = sorted_[next_++];
        } else {
            item = late_.front();
            std::pop_heap(late_.begin(), late_.end(), std::greater<>());
            late_.pop_back();
        }
        return true;
    }

    /// The node that will be taken out a few turns from now.
    std::uint32_t ahead() const {
        if (sorted_.empty()) return late_.empty() ? 0 : late_.front().node();
        constexpr std::size_t turns = 2;
        return sorted_[std::min(next_ + turns, sorted_.size() - 1)].node();
    }

  private:
    using Bucket = std::vector<Item>;
    static constexpr std::int64_t ring_size = 1024;

    std::int64_t bucket_of(Item item) const {
        constexpr float last = 9e18F;
        return static_cast<std::int64_t>(
            std::min(static_cast<float>(item.time()) * per_width_, last));
    }
    Bucket& slot(std::int64_t bucket) {
        return ring_[static_cast<std::size_t>(bucket) % static_cast<std::size_t>(ring_size)];
    }
    void put_in_ring(std::int64_t bucket, Item item) {
        Bucket& b = slot(bucket);
        if (b.capacity() == 0 && !spare_.empty()) {
            b = std::move(spare_.back());
            spare_.pop_back();
        }
        b.push_back(item);
        ++in_ring_;
    }
    /// Makes the next non-empty bucket current; returns false if there is none.
    bool advance() {
        sorted_.clear();
        next_ = 0;
        if (in_ring_ == 0 && beyond_.empty()) return false;
        do {
            ++current_;
            if (in_ring_ == 0) {
                // The ring is empty: jump to the next items.
                std::int64_t first = std::numeric_limits<std::int64_t>::max();
                for (const Item item : beyond_) first = std::min(first, bucket_of(item));
                current_ = first;
                look_beyond();
            } else if (current_ == next_look_) {
                look_beyond();
            }
        } while (slot(current_).empty());
        in_ring_ -= slot(current_).size();
        // Buckets that fill next reuse the memory of emptied ones, so memory grows only with the
        // front.
        if (sorted_.capacity() > 0) spare_.push_back(std::move(sorted_));
        sorted_ = std::move(slot(current_));
        slot(current_) = {};
        return true;
    }
    /// Moves items that the ring now covers from `beyond_` into the ring.
    void look_beyond() {
        next_look_ = current_ + ring_size;
        std::erase_if(beyond_, [&](Item item) {
            const std::int64_t bucket = bucket_of(item);
            if (bucket >= current_ + ring_size) return false;
            put_in_ring(bucket, item);
            return true;
        });
    }

    float per_width_;
    std::int64_t current_ = -1;
    std::int64_t next_look_ = ring_size - 1;
    std::vector<Bucket> ring_;
    std::size_t in_ring_ = 0;
    std::vector<Bucket> spare_;
    Bucket sorted_;  ///< the current bucket, from next_
    std::size_t next_ = 0;
    Bucket late_;    ///< a heap of items that came when their bucket was current or past
    Bucket beyond_;  ///< items later than the ring
};
using MarchQueue = CalendarQueue<MarchItem>;

}  // namespace fermat
