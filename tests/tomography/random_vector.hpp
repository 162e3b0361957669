#pragma once

#include <random>
#include <vector>

namespace fermat::test {

/// Normal numbers of mean 0 and deviation 1.
inline std::vector<double> random_vector(std::size_t size, unsigned seed) {
    std::mt19937 engine(seed);
    std::normal_distribution<double> normal;
    std::vector<double> values(size);
    for (double& value : values) value = normal(engine);
    return values;
}

}  // namespace fermat::test
