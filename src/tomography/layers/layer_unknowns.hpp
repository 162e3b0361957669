#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/grid.hpp"
#include "model/layered_medium.hpp"
#include "phases/derivatives.hpp"
#include "tomography/hole/update.hpp"
#include "tomography/layers/layer_options.hpp"

namespace fermat {

/// Derivatives by unknowns: numbers and values.
using LayerRow = std::vector<std::pair<std::int32_t, double>>;

/// How far depths may be from the start's where nobody says it: a fifteenth of the deepest.
double chosen_deviation(const LayeredMedium& start);

/// One kind of unknown: changes on a coarse grid, in deviations of the prior. Between its points
/// changes of velocity are multilinear, those of depth smooth.
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
                  std::span<const int> interfaces, const LayerPrior& prior,
                  const UpdateLimits& limits);

    std::size_t size() const { return size_; }
    const std::vector<UnknownBlock>& blocks() const { return blocks_; }
    /// The medium; interfaces that would cross touch, and what would pass a bound stays at it.
    LayeredMedium medium_of(std::span<const double> x) const;
    /// The derivatives of a ray's time by the unknowns x of a medium, (number, value), numbers
    /// ascending. What a bound holds has none.
    LayerRow row_of(std::span<const double> x, const LayeredMedium& at,
                    const BranchDerivative& by) const;
    /// Depth of an interface at a point of a user, and its row. Bounds are not looked at.
    double depth_of(std::span<const double> x, int interface, Vec3 at) const;
    LayerRow depth_row(int interface, Vec3 at) const;
    /// The relative change of the mean velocity of the layer above an interface at a point, by its
    /// unknowns: of P, or of S where P is kept. Empty where the layer has no thickness or both are
    /// kept.
    LayerRow velocity_above(const LayeredMedium& at, int interface, double x, double y) const;
    /// "moho", or "P of layer 0".
    std::string name_of(const UnknownBlock& block) const;
    /// Adds `weight` times the inverse of the prior's covariance to a dense matrix.
    void add_prior(std::vector<double>& matrix, double weight) const;
    /// x^T R x, and R x.
    double roughness_of(std::span<const double> x) const;
    std::vector<double> apply(std::span<const double> x) const;

  private:
    void add_block(UnknownBlock block);
    /// K x of one block. R is K^2 of each block, and what couples layers.
    void operator_of(const UnknownBlock& block, std::span<const double> x,
                     std::span<double> out) const;
    const UnknownBlock* block_of_velocity(int part) const;

    const UnknownBlock* block_of_depth(int interface) const;
    /// Least and largest depth of an interface at a point, given the one above it.
    std::pair<double, double> depths_between(const Interface& above, double x, double y) const;
    float bounded_velocity(double velocity) const;

    const LayeredMedium& start_;
    const LayerPrior& prior_;
    UpdateLimits limits_;
    std::vector<UnknownBlock> blocks_;
    std::size_t size_ = 0;
};

}  // namespace fermat
