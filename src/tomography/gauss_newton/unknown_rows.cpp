#include "tomography/gauss_newton/unknown_rows.hpp"

#include "core/parallel.hpp"

namespace fermat {
namespace {

UnknownRows transposed(const UnknownRows& rows, std::size_t columns) {
    UnknownRows out;
    out.start.assign(columns + 1, 0);
    out.column.resize(rows.entries());
    out.value.resize(rows.entries());
    for (const std::int32_t column : rows.column) ++out.start[static_cast<std::size_t>(column) + 1];
    for (std::size_t c = 0; c < columns; ++c) out.start[c + 1] += out.start[c];
    std::vector<std::int64_t> next(out.start.begin(), out.start.end() - 1);
    for (std::size_t r = 0; r < rows.rows(); ++r) {
        for (auto e = rows.start[r]; e < rows.start[r + 1]; ++e) {
            const auto entry = static_cast<std::size_t>(e);
            const auto to =
                static_cast<std::size_t>(next[static_cast<std::size_t>(rows.column[entry])]++);
            out.column[to] = static_cast<std::int32_t>(r);
            out.value[to] = rows.value[entry];
        }
    }
    return out;
}

void multiply(const UnknownRows& rows, std::span<const double> x, std::span<double> out,
              int threads) {
    constexpr std::int64_t lot = 64;
    const auto count = static_cast<std::int64_t>(rows.rows());
    // Few entries are multiplied in less time than threads take to meet.
    const int team = rows.entries() < 200000 ? 1 : threads;
    parallel_for((count + lot - 1) / lot, team, [&](std::int64_t n) {
        const std::int64_t end = std::min(count, (n + 1) * lot);
        for (auto r = static_cast<std::size_t>(n * lot); r < static_cast<std::size_t>(end); ++r) {
            double sum = 0;
            for (auto e = rows.start[r]; e < rows.start[r + 1]; ++e) {
                const auto entry = static_cast<std::size_t>(e);
                sum += static_cast<double>(rows.value[entry]) *
                       x[static_cast<std::size_t>(rows.column[entry])];
            }
            out[r] = sum;
        }
    });
}

}  // namespace

WeightedRows::WeightedRows(UnknownRows&& rows, std::span<const double> weights,
                           std::size_t unknowns) {
    rows_.start.reserve(rows.start.size());
    rows_.column.reserve(rows.entries());
    rows_.value.reserve(rows.entries());
    for (std::size_t r = 0; r < rows.rows(); ++r) {
        if (weights[r] > 0) {
            for (auto e = rows.start[r]; e < rows.start[r + 1]; ++e) {
                const auto entry = static_cast<std::size_t>(e);
                rows_.column.push_back(rows.column[entry]);
                rows_.value.push_back(
                    static_cast<float>(weights[r] * static_cast<double>(rows.value[entry])));
            }
        }
        rows_.start.push_back(static_cast<std::int64_t>(rows_.column.size()));
    }
    rows = {};
    columns_ = transposed(rows_, unknowns);
}

void WeightedRows::times(std::span<const double> x, std::span<double> out, int threads) const {
    multiply(rows_, x, out, threads);
}

void WeightedRows::transposed_times(std::span<const double> y, std::span<double> out,
                                    int threads) const {
    multiply(columns_, y, out, threads);
}

double WeightedRows::trace() const {
    double sum = 0;
    for (const float value : rows_.value) sum += static_cast<double>(value) * value;
    return sum;
}

void WeightedRows::column_squares(std::span<double> out, int threads) const {
    parallel_for(static_cast<std::int64_t>(columns()), threads, [&](std::int64_t c) {
        double sum = 0;
        const auto column = static_cast<std::size_t>(c);
        for (auto e = columns_.start[column]; e < columns_.start[column + 1]; ++e) {
            const double value = columns_.value[static_cast<std::size_t>(e)];
            sum += value * value;
        }
        out[column] = sum;
    });
}

}  // namespace fermat
