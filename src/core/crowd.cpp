#include "core/crowd.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace fermat::detail {
namespace {

using std::chrono::steady_clock;

/// How long the machine counts as crowded after a delay. It doubles with every delay that follows
/// soon after such a while, because each look at how things are costs a delay.
constexpr std::int64_t shortest_while = 250'000'000;
constexpr std::int64_t longest_while = 4'000'000'000;

std::atomic<std::int64_t> crowded_until{0};
std::atomic<std::int64_t> last_while{0};

std::int64_t now() {
    return std::chrono::nanoseconds(steady_clock::now().time_since_epoch()).count();
}

}  // namespace

bool is_crowded() {
    const std::int64_t until = crowded_until.load(std::memory_order_relaxed);
    return until != 0 && now() < until;
}

void note_delay() {
    const std::int64_t moment = now();
    const std::int64_t until = crowded_until.load(std::memory_order_relaxed);
    if (moment < until) return;
    const std::int64_t before = last_while.load(std::memory_order_relaxed);
    const bool again = moment < until + before;
    const std::int64_t length = again ? std::min(2 * before, longest_while) : shortest_while;
    last_while.store(length, std::memory_order_relaxed);
    crowded_until.store(moment + length, std::memory_order_relaxed);
}

}  // namespace fermat::detail
