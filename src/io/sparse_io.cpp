#include "io/sparse_io.hpp"

#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "io/hdf5_column.hpp"
#include "io/hdf5_output.hpp"

namespace fermat {
namespace {

namespace fs = std::filesystem;
using hdf5::Column;
using hdf5::Session;

}  // namespace

struct SparseWriter::Impl {
    hdf5::NewFile output;
    std::int64_t columns;
    Column<std::int64_t> indptr;
    Column<std::int64_t> indices;
    Column<double> data;

    Impl(const fs::path& path, std::int64_t column_count) : output(path), columns(column_count) {
        const Session session;
        indptr = Column<std::int64_t>(output.id(), "indptr", path);
        indices = Column<std::int64_t>(output.id(), "indices", path);
        data = Column<double>(output.id(), "data", path);
        const std::int64_t start = 0;
        indptr.append(&start, 1);
    }

    void append(const SparseRows& rows) {
        if (rows.columns != columns) {
            throw InputError(fmt::format("sparse rows of {} columns (the file '{}' has {})",
                                         rows.columns, output.path().string(), columns));
        }
        const Session session;
        std::vector<std::int64_t> ends(rows.row_start.begin() + 1, rows.row_start.end());
        for (std::int64_t& end : ends) end += indices.rows();
        indptr.append(ends.data(), ends.size());
        indices.append(rows.column.data(), rows.column.size());
        data.append(rows.value.data(), rows.value.size());
        output.check();
    }

    void commit() {
        const Session session;
        const std::array<std::int64_t, 2> shape = {indptr.rows() - 1, columns};
        hdf5::write_attribute(output.id(), "shape", shape, output.path());
        if (!(indptr.close() && indices.close() && data.close())) {
            hdf5::fail_write(output.path());
        }
        output.commit();
    }
};

SparseWriter::SparseWriter(const fs::path& path, std::int64_t columns)
    : impl_(std::make_unique<Impl>(path, columns)) {}
SparseWriter::~SparseWriter() = default;
SparseWriter::SparseWriter(SparseWriter&&) noexcept = default;
void SparseWriter::append(const SparseRows& rows) { impl_->append(rows); }
void SparseWriter::commit() { impl_->commit(); }

namespace {

void check(const SparseRows& rows, std::int64_t row_count, const fs::path& path) {
    const auto damaged = [&](const std::string& what) {
        return InputError(fmt::format("'{}' is damaged: {}", path.string(), what));
    };
    const auto& start = rows.row_start;
    if (start.size() != static_cast<std::size_t>(row_count) + 1) {
        throw damaged(fmt::format("indptr has {} entries for {} rows", start.size(), row_count));
    }
    if (rows.column.size() != rows.value.size()) {
        throw damaged(
            fmt::format("{} indices for {} values", rows.column.size(), rows.value.size()));
    }
    bool ordered =
        start.front() == 0 && start.back() == static_cast<std::int64_t>(rows.column.size());
    for (std::size_t i = 1; ordered && i < start.size(); ++i) ordered = start[i - 1] <= start[i];
    if (!ordered) throw damaged("indptr is out of order");
    for (const std::int64_t column : rows.column) {
        if (column < 0 || column >= rows.columns) {
            throw damaged(fmt::format("column {} of {}", column, rows.columns));
        }
    }
}

}  // namespace

SparseRows read_sparse(const fs::path& path) {
    const Session session;
    const hdf5::Handle file = hdf5::open_file(path);
    std::array<std::int64_t, 2> shape{};
    hdf5::read_attribute(file, "shape", shape, path);
    if (shape[0] < 0 || shape[1] < 0) {
        throw InputError(fmt::format("'{}' holds a matrix of shape ({}, {}) (must not be negative)",
                                     path.string(), shape[0], shape[1]));
    }
    SparseRows rows;
    rows.columns = shape[1];
    rows.row_start = hdf5::read_column<std::int64_t>(file, "indptr", path);
    rows.column = hdf5::read_column<std::int64_t>(file, "indices", path);
    rows.value = hdf5::read_column<double>(file, "data", path);
    check(rows, shape[0], path);
    return rows;
}

}  // namespace fermat
