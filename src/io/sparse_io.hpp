#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "rays/sensitivity.hpp"

namespace fermat {

/// Writes compressed sparse rows to HDF5: /indptr and /indices (int64), /data (float64) and the
/// root attribute `shape`, rows and columns, as scipy.sparse.csr_array expects them. Rows stream to
/// the file: memory does not grow with their number.
class SparseWriter {
  public:
    SparseWriter(const std::filesystem::path& path, std::int64_t columns);
    ~SparseWriter();
    SparseWriter(SparseWriter&&) noexcept;
    SparseWriter& operator=(SparseWriter&&) = delete;

    /// Adds rows at the end. They must have the file's number of columns.
    void append(const SparseRows& rows);
    /// Closes the file and renames it. Without commit() nothing is left behind.
    void commit();

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Reads a matrix. Throws InputError unless SparseWriter wrote the file or could have.
SparseRows read_sparse(const std::filesystem::path& path);

}  // namespace fermat
