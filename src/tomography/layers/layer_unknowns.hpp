#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/grid.hpp"
#include "model/layered_medium.hpp"
#include "phases/derivatives.hpp"
#include "tomography/layers/layer_options.hpp"

namespace fermat {

/// One kind of unknown: changes on a coarse grid, in deviations of the prior. Between its points
/// changes are multilinear.
struct UnknownBlock {
    enum class Of { velocity, depth };
    Of of = Of::velocity;
    int number = 0;         ///< 2 * layer + wave, or of the interface
    Grid grid;              ///< in grid coordinates of the medium; depths: one node along z
    std::size_t first = 0;  ///< number of its first unknown
    double deviation = 1;
    Vec3 lengths;  ///< of the prior, in grid coordinates

    std::size_t size() const { return grid.node_count(); }
};

/// The unknowns of layers and interfaces: how they enter the medium, their rows and what is known
/// of them before. x = 0 is the start medium; velocity changes are those of ln v.
class LayerUnknowns {
  public:
    /// Blocks for the layers and interfaces that the legs of the picks' branches use. `parts`: 2 *
    /// layer + wave of each; `interfaces`: numbers.
    LayerUnknowns(const LayeredMedium& start, std::span<const int> parts,
                  std::span<const int> interfaces, const LayerPrior& prior);

    std::size_t size() const { return size_; }
    const std::vector<UnknownBlock>& blocks() const { return blocks_; }
    /// The medium; interfaces that would cross touch.
    LayeredMedium medium_of(std::span<const double> x) const;
    /// The derivatives of a ray's time by the unknowns, (number, value), numbers ascending.
    std::vector<std::pair<std::int32_t, double>> row_of(const LayeredMedium& at,
                                                        const BranchDerivative& by) const;
    /// Adds `weight` times the inverse of the prior's covariance to a dense matrix.
    void add_prior(std::vector<double>& matrix, double weight) const;
    /// x^T R x, and R x.
    double roughness_of(std::span<const double> x) const;
    std::vector<double> apply(std::span<const double> x) const;

  private:
    void add_block(UnknownBlock block);
    /// K x of one block, where R = K^2.
    void operator_of(const UnknownBlock& block, std::span<const double> x,
                     std::span<double> out) const;

    const LayeredMedium& start_;
    std::vector<UnknownBlock> blocks_;
    std::size_t size_ = 0;
};

}  // namespace fermat
