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
std::vector<std::vector<Entry>> rows_of_roughness(const Roughness& roughness,
                                                  const LinearProblem& problem) {
    const std::size_t n = problem.size();
    std::vector<std::vector<Entry>> rows(n);
    parallel_ranges(
        static_cast<std::int64_t>(n), problem.threads(), [&](std::int64_t begin, std::int64_t end) {
            std::vector<double> unit(n, 0.0);
            std::vector<double> row(n);
            for (auto u = static_cast<std::size_t>(begin); u < static_cast<std::size_t>(end); ++u) {
                unit[u] = 1;
                roughness.apply(unit, row, 1);
                unit[u] = 0;
                for (std::size_t v = 0; v < n; ++v) {
                    if (row[v] != 0) rows[u].push_back({v, row[v]});
                }
            }
        });
    return rows;
}

/// A^T A + weight R, and so little on the diagonal that rock no ray and no neighbour reaches does
/// not make it singular.
std::vector<double> normal_matrix(const LinearProblem& problem,
                                  const std::vector<std::vector<Entry>>& roughness, double weight) {
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
            for (const Entry& entry : roughness[u]) to[entry.column] += weight * entry.value;
        } else {
            to[u] += problem.term_damping()[u - grid];
        }
        to[u] += least;
    });
    return matrix;
}

constexpr std::size_t columns_at_once = 64;

std::int64_t column_jobs(std::size_t columns) {
    return static_cast<std::int64_t>((columns + columns_at_once - 1) / columns_at_once);
}

/// Calls use(unknown, columns, count, place) for all columns of the inverse, some at a time: entry
/// `row` of the unknown's column is columns[row * count + place].
template <class Use>
void for_each_column(const LinearProblem& problem, const DenseInverse& inverse, Monitor& monitor,
                     Use use) {
    const std::size_t n = problem.size();
    parallel_for(column_jobs(n), problem.threads(), [&](std::int64_t job) {
        monitor.check();
        const std::size_t first = static_cast<std::size_t>(job) * columns_at_once;
        const std::size_t count = std::min(columns_at_once, n - first);
        std::vector<double> columns(inverse.size() * count);
        inverse.columns(first, count, columns);
        for (std::size_t c = 0; c < count; ++c) use(first + c, columns, count, c);
        monitor.advance();
    });
}

std::vector<double> exact_resolution(const LinearProblem& problem, Monitor& monitor) {
    const auto roughness = rows_of_roughness(problem.roughness(), problem);
    const DenseInverse inverse(normal_matrix(problem, roughness, problem.lambda()),
                               problem.columns(), problem.threads());
    monitor.advance();
    std::vector<double> resolution(problem.size());
    for_each_column(
        problem, inverse, monitor,
        [&](std::size_t u, const std::vector<double>& columns, std::size_t count, std::size_t c) {
            double lost = 0;
            for (const Entry& entry : roughness[u]) {
                lost += entry.value * columns[entry.column * count + c];
            }
            resolution[u] = 1 - problem.lambda() * lost;
        });
    return resolution;
}

/// Per sample. Pairs of unknowns that a sample may depend on are neighbours: of a row of the
/// covariance, the entries at those are kept.
std::vector<double> exact_variance(const LinearProblem& problem, double weight, Monitor& monitor) {
    const auto roughness = rows_of_roughness(problem.prior(), problem);
    const DenseInverse inverse(normal_matrix(problem, roughness, weight), problem.columns(),
                               problem.threads());
    monitor.advance();
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
    std::vector<double> covariance(problem.size() * around, 0.0);
    for_each_column(
        problem, inverse, monitor,
        [&](std::size_t u, const std::vector<double>& columns, std::size_t count, std::size_t c) {
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
        });
    const auto velocity = problem.model().given();
    std::vector<double> variance(velocity.size(), 0.0);
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
                variance[s] = sum;
            }
        });
    return variance;
}

}  // namespace

TrustNumbers exact_trust(const LinearProblem& problem, const TrustOptions& options,
                         Monitor& monitor) {
    TrustNumbers out;
    const std::int64_t steps = column_jobs(problem.size()) + 1;
    if (options.resolution) {
        monitor.begin("resolution", steps);
        out.resolution = exact_resolution(problem, monitor);
        monitor.end();
    }
    if (options.deviation) {
        const double weight = problem.prior_weight(monitor);
        monitor.begin("deviation", steps);
        out.variance = exact_variance(problem, weight, monitor);
        monitor.end();
    }
    return out;
}

}  // namespace fermat
