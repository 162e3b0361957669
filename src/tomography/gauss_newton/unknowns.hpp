#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/grid.hpp"
#include "model/model.hpp"
#include "tomography/gauss_newton/true_sizes.hpp"

namespace fermat {

/// The unknowns of an inversion: values on the nodes of a grid of their own, coarser than the
/// model's or equal to it, spread multilinearly over the samples of the model. A sample is what the
/// model holds a velocity for: a node, or a cell (at its middle) where velocity is in cells.
///
/// Nodes of that grid which reach no sample of rock are left out, so that air has no unknowns.
class Unknowns {
  public:
    /// `ratio`: spacing of the unknowns in spacings of the model, along each axis; y is ignored in
    /// 2-D.
    Unknowns(const Model& model, Index3 ratio);

    const Grid& grid() const { return grid_; }
    std::size_t size() const { return places_.size(); }
    /// Of the grid, in space.
    const TrueSizes& sizes() const { return sizes_; }
    /// Number of each of the grid's nodes among the unknowns, or -1.
    const std::vector<std::int32_t>& numbers() const { return numbers_; }
    /// Place of each unknown among the grid's nodes.
    const std::vector<std::int64_t>& places() const { return places_; }

    /// Calls visit(unknown, weight) for the unknowns that a sample of rock depends on. The weights
    /// add up to 1.
    template <class Visit>
    void for_each_of_sample(std::size_t sample, Visit visit) const {
        const auto [x, y, z] = place_of(sample);
        const Between& at_x = axes_[0][x];
        const Between& at_y = axes_[1][y];
        const Between& at_z = axes_[2][z];
        for (int i = 0; i < 2; ++i) {
            const double of_x = at_x.weight(i);
            if (of_x == 0) continue;
            for (int j = 0; j < 2; ++j) {
                const double of_xy = of_x * at_y.weight(j);
                if (of_xy == 0) continue;
                const std::int32_t* const line =
                    &numbers_[grid_.shape.offset(at_x.lower + i, at_y.lower + j, at_z.lower)];
                for (int k = 0; k < 2; ++k) {
                    const double weight = of_xy * at_z.weight(k);
                    if (weight != 0) visit(static_cast<std::size_t>(line[k]), weight);
                }
            }
        }
    }

  private:
    /// A sample between two nodes of the unknowns' grid, along one axis.
    struct Between {
        int lower = 0;
        double fraction = 0;
        double weight(int side) const { return side == 0 ? 1 - fraction : fraction; }
    };

    /// Places of a sample along the axes. Small numbers are divided in a third of the time.
    std::array<std::size_t, 3> place_of(std::size_t sample) const {
        const auto split = [this](auto n) -> std::array<std::size_t, 3> {
            using Number = decltype(n);
            const auto z = static_cast<Number>(samples_.z);
            const auto y = static_cast<Number>(samples_.y);
            const Number line = n / z;
            return {line / y, line % y, n - line * z};
        };
        constexpr std::size_t small = std::numeric_limits<std::uint32_t>::max();
        return sample <= small ? split(static_cast<std::uint32_t>(sample)) : split(sample);
    }

    Grid grid_;
    TrueSizes sizes_;
    Shape samples_;
    std::array<std::vector<Between>, 3> axes_;
    std::vector<std::int32_t> numbers_;
    std::vector<std::int64_t> places_;
};

/// Their grid, before nodes in air are left out.
Grid unknowns_grid(const Grid& model, Index3 ratio);

/// Spacing of the unknowns in spacings of the model: the finest that keeps to about as many
/// unknowns, at least 1 along each axis and alike along all in length.
Index3 unknowns_ratio(const Model& model, std::size_t most);

}  // namespace fermat
