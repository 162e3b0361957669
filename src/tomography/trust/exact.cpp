#include <algorithm>
#include <utility>

#include "core/parallel.hpp"
#include "tomography/gauss_newton/gathered_rows.hpp"
#include "tomography/trust/dense_inverse.hpp"
#include "tomography/trust/estimates.hpp"

namespace fermat {
namespace {

struct Entry {
    std::size_t column = 0;
    double value = 0;
};

/// Rows of the roughness matrix.
std::vector<std::vector<Entry>> rows_of_roughness(const LinearProblem& problem) {
    const std::size_t n = problem.size();
    std::vector<std::vector<Entry>> rows(n);
    parallel_ranges(
        static_cast<std::int64_t>(n), problem.threads(), [&](std::int64_t begin, std::int64_t end) {
            std::vector<double> unit(n, 0.0);
            std::vector<double> row(n);
            for (auto u = static_cast<std::size_t>(begin); u < static_cast<std::size_t>(end); ++u) {
                unit[u] = 1;
                problem.roughness().apply(unit, row, 1);
                unit[u] = 0;
                for (std::size_t v = 0; v < n; ++v) {
                    if (row[v] != 0) rows[u].push_back({v, row[v]});
                }
            }
        });
    return rows;
}

/// A^T A + lambda R, and so little on the diagonal that rock no ray and no neighbour reaches does
/// not make it singular.
std::vector<double> normal_matrix(const LinearProblem& problem,
                                  const std::vector<std::vector<Entry>>& roughness) {
    const std::size_t grid = problem.size();
    const std::size_t n = problem.columns();
    const UnknownRows& rows = problem.matrix();
    const UnknownRows columns = transposed(rows, n);
    const double least = 1e-8 * problem.rows().trace() / static_cast<double>(n);
    std::vector<double> matrix(n * n, 0.0);
    parallel_for(static_cast<std::int64_t>(n), problem.threads(), [&](std::int64_t job) {
        const auto u = static_cast<std::size_t>(job);
        double* const to = &matrix[u * n];
        for (auto c = columns.start[u]; c < columns.start[u + 1]; ++c) {
            const double factor = columns.value[static_cast<std::size_t>(c)];
            const auto pick = static_cast<std::size_t>(columns.column[static_cast<std::size_t>(c)]);
            for (auto e = rows.start[pick]; e < rows.start[pick + 1]; ++e) {
                const auto entry = static_cast<std::size_t>(e);
                to[rows.column[entry]] += factor * static_cast<double>(rows.value[entry]);
            }
        }
        if (u < grid) {
            for (const Entry& entry : roughness[u])
                to[entry.column] += problem.lambda() * entry.value;
        } else {
            to[u] += problem.term_damping()[u - grid];
        }
        to[u] += least;
    });
    return matrix;
}

}  // namespace

TrustNumbers exact_trust(const LinearProblem& problem, const TrustOptions& options,
                         Monitor& monitor) {
    const std::size_t n = problem.size();
    const std::size_t all = problem.columns();  // with terms
    constexpr std::size_t width = 64;
    const auto jobs = static_cast<std::int64_t>((n + width - 1) / width);
    monitor.begin("resolution", jobs + 1);
    const auto roughness = rows_of_roughness(problem);
    const DenseInverse inverse(normal_matrix(problem, roughness), all, problem.threads());
    monitor.advance();

    // Pairs of unknowns that a sample may depend on are neighbours: of a row of the covariance, the
    // entries at those are kept.
    const Shape shape = problem.unknowns().grid().shape;
    const auto& places = problem.unknowns().places();
    const auto& numbers = problem.unknowns().numbers();
    constexpr std::size_t around = 27;
    const auto node_of = [&](std::size_t u) {
        const std::int64_t place = places[u];
        return Index3{static_cast<int>(place / (std::int64_t{shape.y} * shape.z)),
                      static_cast<int>(place / shape.z % shape.y),
                      static_cast<int>(place % shape.z)};
    };
    TrustNumbers out;
    out.resolution.resize(n);
    std::vector<double> covariance(n * around, 0.0);
    parallel_for(jobs, problem.threads(), [&](std::int64_t job) {
        monitor.check();
        const std::size_t first = static_cast<std::size_t>(job) * width;
        const std::size_t count = std::min(width, n - first);
        std::vector<double> columns(all * count);
        inverse.columns(first, count, columns);
        for (std::size_t c = 0; c < count; ++c) {
            const std::size_t u = first + c;
            double lost = 0;
            for (const Entry& entry : roughness[u]) {
                lost += entry.value * columns[entry.column * count + c];
            }
            out.resolution[u] = 1 - problem.lambda() * lost;
            const Index3 at = node_of(u);
            for (std::size_t side = 0; side < around; ++side) {
                const Index3 other{at.x + static_cast<int>(side / 9) - 1,
                                   at.y + static_cast<int>(side / 3 % 3) - 1,
                                   at.z + static_cast<int>(side % 3) - 1};
                bool inside = true;
                for (int axis = 0; axis < 3; ++axis) {
                    inside = inside && other[axis] >= 0 && other[axis] < shape[axis];
                }
                const std::int32_t number = inside ? numbers[shape.offset(other)] : -1;
                if (number < 0) continue;
                covariance[u * around + side] =
                    columns[static_cast<std::size_t>(number) * count + c];
            }
        }
        monitor.advance();
    });
    monitor.end();
    if (!options.deviation) return out;

    const auto velocity = problem.model().given();
    out.variance.assign(velocity.size(), 0.0);
    parallel_ranges(
        static_cast<std::int64_t>(velocity.size()), problem.threads(),
        [&](std::int64_t begin, std::int64_t end) {
            for (auto s = static_cast<std::size_t>(begin); s < static_cast<std::size_t>(end); ++s) {
                if (velocity[s] == 0) continue;
                double sum = 0;
                problem.unknowns().for_each_of_sample(s, [&](std::size_t a, double of_a) {
                    problem.unknowns().for_each_of_sample(s, [&](std::size_t b, double of_b) {
                        const Index3 p = node_of(a);
                        const Index3 q = node_of(b);
                        const auto side = static_cast<std::size_t>(
                            9 * (q.x - p.x + 1) + 3 * (q.y - p.y + 1) + q.z - p.z + 1);
                        sum += of_a * of_b * covariance[a * around + side];
                    });
                });
                out.variance[s] = sum;
            }
        });
    return out;
}

}  // namespace fermat
