#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace fermat {

/// Value number n of the sorted values, counted from 0.
inline double value_of_rank(std::vector<double> values, std::size_t n) {
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(n);
    std::nth_element(values.begin(), at, values.end());
    return *at;
}

/// The middle value; of an even number of values the upper one of the two in the middle. Values
/// must not be empty.
inline double upper_median(std::vector<double> values) {
    const std::size_t middle = values.size() / 2;
    return value_of_rank(std::move(values), middle);
}

/// The middle value; of an even number of values the lower one of the two in the middle.
inline double lower_median(std::vector<double> values) {
    const std::size_t middle = (values.size() - 1) / 2;
    return value_of_rank(std::move(values), middle);
}

/// The middle value; of an even number of values the mean of the two in the middle.
inline double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) return *middle;
    return 0.5 * (*middle + *std::max_element(values.begin(), middle));
}

}  // namespace fermat
