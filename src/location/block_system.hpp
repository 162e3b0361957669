#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace fermat {

/// Unknowns of one event: three lengths and a time.
inline constexpr std::size_t block_size = 4;
using Block4 = std::array<double, block_size * block_size>;
using Vector4 = std::array<double, block_size>;

/// The normal equations of differences: a diagonal block per event and a block per linked pair.
class BlockSystem {
  public:
    struct Pair {
        std::int32_t first = 0;
        std::int32_t second = 0;
        Block4 block{};  ///< row of the first, column of the second
    };

    explicit BlockSystem(std::size_t events) : diagonal_(events), right_(events) {}

    /// Adds weight (row_a . x_a - row_b . x_b - residual)^2. Differences of one pair come together.
    void add(std::int32_t a, std::int32_t b, const Vector4& row_a, const Vector4& row_b,
             double residual, double weight);
    /// Multiplies the diagonal by 1 + share; unknowns that nothing tells of get a 1.
    void damp(double share);

    /// Conjugate gradients with the diagonal blocks as preconditioner, until the residual is
    /// `tolerance` of what it was.
    std::vector<Vector4> solve(double tolerance, int most_steps) const;
    /// The inverse of the diagonal block of an event.
    Block4 inverse(std::size_t event) const;

  private:
    std::vector<Vector4> times(const std::vector<Vector4>& x) const;

    std::vector<Block4> diagonal_;
    std::vector<Pair> pairs_;
    std::vector<Vector4> right_;
};

}  // namespace fermat
