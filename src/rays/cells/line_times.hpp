#pragma once

#include <span>
#include <vector>

#include "model/model.hpp"
#include "rays/cells/line.hpp"

namespace fermat {

/// Times along lines in a model whose velocity jumps between cells. Infinite through air.
class LineTimes {
  public:
    explicit LineTimes(const Model& model)
        : grid_(model.grid()), velocity_(model.velocity()), cells_(model.jumping_cells()) {}

    double between(Vec3 a, Vec3 b) const {
        return grid_.is_2d() ? line_time_in_cells<2>(grid_, velocity_, cells_, a, b)
                             : line_time_in_cells<3>(grid_, velocity_, cells_, a, b);
    }
    double along(std::span<const Vec3> line) const {
        double sum = 0;
        for (std::size_t n = 0; n + 1 < line.size(); ++n) sum += between(line[n], line[n + 1]);
        return sum;
    }
    const Grid& grid() const { return grid_; }
    const CellsView<>& cells() const { return cells_; }

  private:
    const Grid& grid_;
    FieldView<const float> velocity_;
    CellsView<> cells_;
};

}  // namespace fermat
