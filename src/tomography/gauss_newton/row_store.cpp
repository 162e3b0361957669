#include "tomography/gauss_newton/row_store.hpp"

#include <algorithm>
#include <utility>

#include "core/parallel.hpp"

namespace fermat {

HostRows::HostRows(std::vector<RowLot>&& lots, std::span<const double> weights, std::size_t columns)
    : lots_(std::move(lots)), columns_(columns) {
    constexpr std::size_t most_rows = 64;
    for (std::size_t n = 0; n < lots_.size(); ++n) {
        const RowLot& lot = lots_[n];
        for (std::size_t row = 0; row < lot.picks.size(); row += most_rows) {
            stretches_.push_back(
                {n, row, std::min(row + most_rows, lot.picks.size()), picks_.size() + row});
        }
        picks_.insert(picks_.end(), lot.picks.begin(), lot.picks.end());
        entries_ += lot.rows.entries();
    }
    for (const std::int32_t pick : picks_) {
        weights_.push_back(weights[static_cast<std::size_t>(pick)]);
    }
}

int HostRows::team_for(int threads) const {
    // Few entries are multiplied in less time than threads take to meet.
    return entries_ < 200000 ? 1 : threads;
}

void HostRows::times(std::span<const double> x, std::span<double> out, int threads) const {
    parallel_for(static_cast<std::int64_t>(stretches_.size()), team_for(threads),
                 [&](std::int64_t n) {
                     const Stretch& stretch = stretches_[static_cast<std::size_t>(n)];
                     const UnknownRows& rows = lots_[stretch.lot].rows;
                     std::size_t place = stretch.place;
                     for (std::size_t r = stretch.begin; r < stretch.end; ++r, ++place) {
                         out[place] = 0;
                         if (weights_[place] == 0) continue;
                         // Four sums side by side, always the same ones.
                         double sums[4] = {0, 0, 0, 0};
                         const auto end = static_cast<std::size_t>(rows.start[r + 1]);
                         auto e = static_cast<std::size_t>(rows.start[r]);
                         const auto product = [&](std::size_t entry) {
                             return static_cast<double>(rows.value[entry]) *
                                    x[static_cast<std::size_t>(rows.column[entry])];
                         };
                         for (; e + 4 <= end; e += 4) {
                             for (std::size_t k = 0; k < 4; ++k) sums[k] += product(e + k);
                         }
                         for (; e < end; ++e) sums[0] += product(e);
                         out[place] = weights_[place] * ((sums[0] + sums[1]) + (sums[2] + sums[3]));
                     }
                 });
}

/// Each thread adds into sums of its own; whole numbers, so that it does not matter which.
template <class Add>
void HostRows::add_up(std::span<std::int64_t> sums, int threads, Add add) const {
    const int team = team_for(threads);
    std::fill(sums.begin(), sums.end(), 0);
    std::vector<std::vector<std::int64_t>> others(static_cast<std::size_t>(team));
    parallel_for(static_cast<std::int64_t>(stretches_.size()), team, [&](std::int64_t n) {
        const Stretch& stretch = stretches_[static_cast<std::size_t>(n)];
        const auto thread = team == 1 ? 0 : static_cast<std::size_t>(thread_index());
        std::int64_t* own = sums.data();
        if (thread > 0) {
            others[thread].resize(columns_);
            own = others[thread].data();
        }
        const UnknownRows& rows = lots_[stretch.lot].rows;
        std::size_t place = stretch.place;
        for (std::size_t r = stretch.begin; r < stretch.end; ++r, ++place) {
            if (weights_[place] == 0) continue;
            for (auto e = static_cast<std::size_t>(rows.start[r]);
                 e < static_cast<std::size_t>(rows.start[r + 1]); ++e) {
                own[rows.column[e]] += add(place, static_cast<double>(rows.value[e]));
            }
        }
    });
    parallel_ranges(static_cast<std::int64_t>(sums.size()), team,
                    [&](std::int64_t begin, std::int64_t end) {
                        for (const auto& other : others) {
                            if (other.empty()) continue;
                            for (auto c = static_cast<std::size_t>(begin);
                                 c < static_cast<std::size_t>(end); ++c) {
                                sums[c] += other[c];
                            }
                        }
                    });
}

void HostRows::transposed(std::span<const double> y, const FixedScale& scale,
                          std::span<std::int64_t> sums, int threads) const {
    add_up(sums, threads,
           [&](std::size_t row, double a) { return scale.of(a * (weights_[row] * y[row])); });
}

void HostRows::squares(const FixedScale& scale, std::span<std::int64_t> sums, int threads) const {
    add_up(sums, threads, [&](std::size_t row, double a) {
        const double weighted = weights_[row] * a;
        return scale.of(weighted * weighted);
    });
}

}  // namespace fermat
