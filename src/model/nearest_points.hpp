#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/vec3.hpp"

namespace fermat {

/// Finds the nearest points in the horizontal plane, by square buckets of a few points each.
/// Unevenly spread points cost time but not correctness.
class NearestPoints {
  public:
    struct Neighbour {
        double squared_distance = 0;
        std::size_t point = 0;

        friend auto operator<=>(const Neighbour&, const Neighbour&) = default;
    };

    NearestPoints() = default;
    explicit NearestPoints(std::span<const Vec3> points);

    /// The `count` nearest points, or all if there are fewer; nearest first, ties by point number.
    std::vector<Neighbour> find(double x, double y, std::size_t count) const;

  private:
    int bucket_x(double x) const;
    int bucket_y(double y) const;
    void gather(int bx, int by, double x, double y, std::vector<Neighbour>& found) const;

    struct Entry {
        double x = 0;
        double y = 0;
        std::size_t point = 0;
    };
    double low_x_ = 0;
    double low_y_ = 0;
    double side_ = 1;
    int nx_ = 1;
    int ny_ = 1;
    /// Bucket n holds the entries first_[n] to first_[n + 1] - 1.
    std::vector<std::size_t> first_;
    std::vector<Entry> entries_;
};

}  // namespace fermat
