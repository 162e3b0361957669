#pragma once

#include <cstdint>
#include <vector>

#include "core/choice.hpp"
#include "core/field.hpp"
#include "model/model.hpp"
#include "rays/ray_set.hpp"

namespace fermat {

/// The unknowns that the columns of a sensitivity matrix stand for.
enum class Basis {
    cells,  ///< length of the ray in each cell
    nodes,  ///< derivative of the ray's time by each node's slowness
};
template <>
inline constexpr auto choices<Basis> = choice_table<Basis>("basis", {{"cells", Basis::cells},
                                                                     {"nodes", Basis::nodes}});

/// A matrix in compressed sparse rows, one row per ray, columns ascending. Columns number cells or
/// nodes in C order.
struct SparseRows {
    std::int64_t columns = 0;
    std::vector<std::int64_t> row_start{0};
    std::vector<std::int64_t> column;
    std::vector<double> value;
};

/// The sensitivity matrix of all rays. Rays that did not arrive have empty rows. With Basis::nodes,
/// row times slowness is the time along the ray; with Basis::cells, row times the cells' mean
/// slowness along the ray is. In a model whose velocity is in cells, a piece along a face between
/// two bodies counts for the faster cell, and Basis::nodes throws InputError.
SparseRows sensitivity(const Model& model, const RaySet& rays, Basis basis, int threads = 0);

/// Number and length of rays in each cell, summed in the order of rays.
struct Coverage {
    Field<float> count;
    Field<float> length;
};
Coverage coverage(const Model& model, const RaySet& rays, int threads = 0);

/// Adds up the coverage of rays as they are traced. The model must outlive it.
class CoverageSum {
  public:
    explicit CoverageSum(const Model& model, int threads = 0);

    void add(const RaySet& rays);
    Coverage result() const;

  private:
    const Model& model_;
    int threads_;
    Field<double> count_;
    Field<double> length_;
};

}  // namespace fermat
