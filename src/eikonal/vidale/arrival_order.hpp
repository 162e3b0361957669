#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace fermat::vidale {

/// Sorts pairs of a time >= 0, which may be infinite, and a node: as std::sort does, in a third of
/// its time. Keeps its memory from call to call.
template <class Real>
class ArrivalOrder {
  public:
    using Arrival = std::pair<Real, std::ptrdiff_t>;

    void sort(std::vector<Arrival>& arrivals) {
        constexpr std::size_t few = 256;
        if (arrivals.size() < few) {
            std::sort(arrivals.begin(), arrivals.end());
            return;
        }
        sort_times(arrivals);
        // Nodes of equal times are few.
        for (auto first = arrivals.begin(); first != arrivals.end();) {
            auto last = first + 1;
            while (last != arrivals.end() && last->first == first->first) ++last;
            if (last - first > 1) std::sort(first, last);
            first = last;
        }
    }

  private:
    // Numbers >= 0 are in the order of their bits.
    using Bits = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;
    static constexpr int digit_bits = 11;
    static constexpr std::size_t buckets = std::size_t{1} << digit_bits;
    static constexpr std::size_t digits = (8 * sizeof(Bits) + digit_bits - 1) / digit_bits;

    static std::size_t digit(Real time, std::size_t number) {
        return static_cast<std::size_t>(std::bit_cast<Bits>(time) >> (digit_bits * number)) %
               buckets;
    }

    /// By digits, from the last one (LSD radix sort).
    void sort_times(std::vector<Arrival>& arrivals) {
        for (auto& counts : counts_) counts.fill(0);
        for (const Arrival& arrival : arrivals) {
            for (std::size_t d = 0; d < digits; ++d) ++counts_[d][digit(arrival.first, d)];
        }
        sorted_.resize(arrivals.size());
        for (std::size_t d = 0; d < digits; ++d) {
            auto& counts = counts_[d];
            if (counts[digit(arrivals.front().first, d)] == arrivals.size()) continue;
            std::uint32_t first = 0;
            for (std::uint32_t& count : counts) first += std::exchange(count, first);
            for (const Arrival& arrival : arrivals) {
                sorted_[counts[digit(arrival.first, d)]++] = arrival;
            }
            std::swap(arrivals, sorted_);
        }
    }

    std::vector<Arrival> sorted_;
    std::array<std::array<std::uint32_t, buckets>, digits> counts_{};
};

}  // namespace fermat::vidale
