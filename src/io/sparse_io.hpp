#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "rays/sensitivity.hpp"

namespace fermat {

/// Compressed sparse rows in HDF5: /indptr and /indices (int64), /data (float64) and the attribute
/// `shape`, rows and columns, of the root: what scipy.sparse.csr_array takes as it is. Rows stream
/// to the file: memory does not grow with their number.
class SparseWriter {
  public:
    SparseWriter(const std::filesystem::path& path, std::int64_t columns);
    ~SparseWriter();
    SparseWriter(SparseWriter&&) noexcept;
    SparseWriter& operator=(SparseWriter&&) = delete;

    /// Rows below those that are there. They must have the file's number of columns.
    void append(const SparseRows& rows);
    /// Closes the file and gives it its name; without it nothing is left behind.
    void commit();

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Throws InputError unless the file holds a matrix such as SparseWriter writes.
SparseRows read_sparse(const std::filesystem::path& path);

}  // namespace fermat
