#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <vector>

namespace fermat {

/// Random numbers that have the same bits on every machine: over what the standard fixes of
/// std::mt19937_64, since its distributions it leaves open.
class RandomStream {
  public:
    explicit RandomStream(std::uint64_t seed) : random_(seed) {}
    /// One of many streams of a seed, by its number.
    RandomStream(std::uint64_t seed, std::uint64_t number) : random_(mixed(seed, number)) {}

    /// In [0, 1).
    double uniform() { return static_cast<double>(random_() >> 11) * 0x1p-53; }
    /// Standard normal, by Box & Muller (1958).
    double normal() {
        const double u = 1 - uniform();
        const double v = uniform();
        return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
    }
    std::vector<double> normals(std::size_t count) {
        std::vector<double> values(count);
        for (double& value : values) value = normal();
        return values;
    }
    /// -1 or 1.
    double sign() { return (random_() >> 63) != 0 ? 1 : -1; }
    /// In [0, count), count far below 2^53.
    std::size_t below(std::size_t count) {
        return static_cast<std::size_t>(uniform() * static_cast<double>(count));
    }

  private:
    /// Steele, Lea & Flood's splitmix64 (2014) of both.
    static std::uint64_t mixed(std::uint64_t seed, std::uint64_t number) {
        std::uint64_t z = seed + (number + 1) * 0x9e3779b97f4a7c15U;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
        return z ^ (z >> 31);
    }

    std::mt19937_64 random_;
};

}  // namespace fermat
