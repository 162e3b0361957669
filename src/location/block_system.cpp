#include "location/block_system.hpp"

#include <algorithm>
#include <cmath>

#include "core/expect.hpp"

namespace fermat {
namespace {

constexpr std::size_t at(std::size_t i, std::size_t j) { return block_size * i + j; }

void add_outer(double scale, const Vector4& a, const Vector4& b, Block4& out) {
    for (std::size_t i = 0; i < block_size; ++i) {
        for (std::size_t j = 0; j < block_size; ++j) out[at(i, j)] += scale * a[i] * b[j];
    }
}

/// out += block x, or with the transposed block.
void add_product(const Block4& block, const Vector4& x, Vector4& out) {
    for (std::size_t i = 0; i < block_size; ++i) {
        for (std::size_t j = 0; j < block_size; ++j) out[i] += block[at(i, j)] * x[j];
    }
}
void add_transposed(const Block4& block, const Vector4& x, Vector4& out) {
    for (std::size_t i = 0; i < block_size; ++i) {
        for (std::size_t j = 0; j < block_size; ++j) out[j] += block[at(i, j)] * x[i];
    }
}

double dot(const std::vector<Vector4>& a, const std::vector<Vector4>& b) {
    double sum = 0;
    for (std::size_t n = 0; n < a.size(); ++n) {
        for (std::size_t i = 0; i < block_size; ++i) sum += a[n][i] * b[n][i];
    }
    return sum;
}

/// Inverse of a symmetric positive definite block by Cholesky's factor.
Block4 inverse_of(const Block4& block) {
    Block4 factor{};
    for (std::size_t i = 0; i < block_size; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            double sum = block[at(i, j)];
            for (std::size_t k = 0; k < j; ++k) sum -= factor[at(i, k)] * factor[at(j, k)];
            const double least = 1e-14 * block[at(i, i)];
            factor[at(i, j)] = i == j ? std::sqrt(std::max(sum, least)) : sum / factor[at(j, j)];
        }
    }
    Block4 lower{};
    for (std::size_t i = 0; i < block_size; ++i) {
        lower[at(i, i)] = 1 / factor[at(i, i)];
        for (std::size_t j = 0; j < i; ++j) {
            double sum = 0;
            for (std::size_t k = j; k < i; ++k) sum -= factor[at(i, k)] * lower[at(k, j)];
            lower[at(i, j)] = sum / factor[at(i, i)];
        }
    }
    Block4 out{};
    for (std::size_t i = 0; i < block_size; ++i) {
        for (std::size_t j = 0; j < block_size; ++j) {
            for (std::size_t k = std::max(i, j); k < block_size; ++k) {
                out[at(i, j)] += lower[at(k, i)] * lower[at(k, j)];
            }
        }
    }
    return out;
}

}  // namespace

void BlockSystem::add(std::int32_t a, std::int32_t b, const Vector4& row_a, const Vector4& row_b,
                      double residual, double weight) {
    const auto first = static_cast<std::size_t>(a);
    const auto second = static_cast<std::size_t>(b);
    FERMAT_EXPECT(first < diagonal_.size() && second < diagonal_.size());
    add_outer(weight, row_a, row_a, diagonal_[first]);
    add_outer(weight, row_b, row_b, diagonal_[second]);
    if (pairs_.empty() || pairs_.back().first != a || pairs_.back().second != b) {
        pairs_.push_back({a, b, {}});
    }
    add_outer(-weight, row_a, row_b, pairs_.back().block);
    for (std::size_t i = 0; i < block_size; ++i) {
        right_[first][i] += weight * residual * row_a[i];
        right_[second][i] -= weight * residual * row_b[i];
    }
}

void BlockSystem::damp(double share) {
    for (Block4& block : diagonal_) {
        for (std::size_t i = 0; i < block_size; ++i) {
            double& own = block[at(i, i)];
            own = own > 0 ? own * (1 + share) : 1;
        }
    }
}

Block4 BlockSystem::inverse(std::size_t event) const {
    FERMAT_EXPECT(event < diagonal_.size());
    return inverse_of(diagonal_[event]);
}

std::vector<Vector4> BlockSystem::times(const std::vector<Vector4>& x) const {
    FERMAT_EXPECT(x.size() == diagonal_.size());
    std::vector<Vector4> out(x.size(), Vector4{});
    for (std::size_t n = 0; n < x.size(); ++n) add_product(diagonal_[n], x[n], out[n]);
    for (const Pair& pair : pairs_) {
        const auto a = static_cast<std::size_t>(pair.first);
        const auto b = static_cast<std::size_t>(pair.second);
        add_product(pair.block, x[b], out[a]);
        add_transposed(pair.block, x[a], out[b]);
    }
    return out;
}

std::vector<Vector4> BlockSystem::solve(double tolerance, int most_steps) const {
    const std::size_t count = diagonal_.size();
    std::vector<Block4> inverses(count);
    for (std::size_t n = 0; n < count; ++n) inverses[n] = inverse_of(diagonal_[n]);
    const auto precondition = [&](const std::vector<Vector4>& r) {
        std::vector<Vector4> z(count, Vector4{});
        for (std::size_t n = 0; n < count; ++n) add_product(inverses[n], r[n], z[n]);
        return z;
    };
    std::vector<Vector4> x(count, Vector4{});
    std::vector<Vector4> r = right_;
    std::vector<Vector4> z = precondition(r);
    std::vector<Vector4> p = z;
    double rz = dot(r, z);
    const double enough = tolerance * tolerance * rz;
    for (int step = 0; step < most_steps && rz > enough; ++step) {
        const std::vector<Vector4> ap = times(p);
        const double curvature = dot(p, ap);
        if (!(curvature > 0)) break;
        const double length = rz / curvature;
        for (std::size_t n = 0; n < count; ++n) {
            for (std::size_t i = 0; i < block_size; ++i) {
                x[n][i] += length * p[n][i];
                r[n][i] -= length * ap[n][i];
            }
        }
        z = precondition(r);
        const double next = dot(r, z);
        const double share = next / rz;
        rz = next;
        for (std::size_t n = 0; n < count; ++n) {
            for (std::size_t i = 0; i < block_size; ++i) p[n][i] = z[n][i] + share * p[n][i];
        }
    }
    return x;
}

}  // namespace fermat
