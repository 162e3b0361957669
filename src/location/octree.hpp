#pragma once

#include <cstddef>
#include <vector>

#include "location/likelihood.hpp"
#include "location/region.hpp"

namespace fermat {

/// A box of places and the place in it that was tried.
struct TreeCell {
    Vec3 middle;
    Vec3 half;
    Vec3 place;
    double log_density = 0;  ///< of the place, which stands for the whole cell
    double log_mass = 0;     ///< density times volume

    double size() const { return 0.7 * norm(half); }
};

/// Times of all fields at the middles of the first cells, which are the same for all events.
class FirstCells {
  public:
    /// About `count` nearly cubic cells that fill the box.
    FirstCells(const StationFields& fields, const Region& region, int count, int threads);

    std::size_t size() const { return cells_.size(); }
    const TreeCell& cell(std::size_t n) const { return cells_[n]; }
    const float* times(std::size_t n) const { return times_.data() + n * fields_; }

  private:
    std::vector<TreeCell> cells_;
    std::vector<float> times_;  ///< [cell][field]
    std::size_t fields_;
};

/// Nearly cubic cells that fill the free axes of a region; along fixed axes they have no size.
std::vector<TreeCell> filling_cells(const Region& region, Vec3 fixed, int count);

/// When an oct-tree stops.
struct TreeEnd {
    int cells = 0;      ///< this many were tried
    double finest = 0;  ///< or the heaviest cell is smaller than this
};

/// Splits the heaviest cell into 2, 4 or 8 again and again (Lomax & Curtis 2001). Each cell is
/// judged by the largest probability that it may hold: the size of the cell counts as an error of
/// the times. Returns the undivided cells, those of the largest density first.
std::vector<TreeCell> grow_tree(const Likelihood& likelihood, const Region& region,
                                std::vector<TreeCell> first, const TreeEnd& end,
                                Likelihood::Work& work);

/// Finds the densities and masses of cells.
void judge_cells(const Likelihood& likelihood, const Region& region, std::vector<TreeCell>& cells,
                 Likelihood::Work& work);
/// Judges the first cells from their stored times.
std::vector<TreeCell> judge_first(const Likelihood& likelihood, const FirstCells& first,
                                  Likelihood::Work& work);

}  // namespace fermat
