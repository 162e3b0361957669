#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/grid.hpp"
#include "model/model.hpp"

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
    /// Number of each of the grid's nodes among the unknowns, or -1.
    const std::vector<std::int32_t>& numbers() const { return numbers_; }
    /// Place of each unknown among the grid's nodes.
    const std::vector<std::int64_t>& places() const { return places_; }

    /// Calls visit(unknown, weight) for the unknowns that a sample of rock depends on. The weights
    /// add up to 1.
    template <class Visit>
    void for_each_of_sample(std::size_t sample, Visit visit) const {
        const auto z = static_cast<std::size_t>(samples_.z);
        const auto y = static_cast<std::size_t>(samples_.y);
        const std::array<Between, 3> at = {axes_[0][sample / (z * y)], axes_[1][sample / z % y],
                                           axes_[2][sample % z]};
        for (int i = 0; i < 2; ++i) {
            for (int j = 0; j < 2; ++j) {
                for (int k = 0; k < 2; ++k) {
                    const double weight = at[0].weight(i) * at[1].weight(j) * at[2].weight(k);
                    if (weight == 0) continue;
                    const Index3 node{at[0].lower + i, at[1].lower + j, at[2].lower + k};
                    const std::int32_t number = numbers_[grid_.shape.offset(node)];
                    visit(static_cast<std::size_t>(number), weight);
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

    Grid grid_;
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
