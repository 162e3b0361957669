#pragma once

#include <memory>

#include "io/atomic_file.hpp"
#include "io/hdf5.hpp"

namespace fermat::hdf5 {

/// A new HDF5 file that appears whole at commit(), or not at all. Its format carries checksums of
/// all metadata, so that damage is noticed when it is read.
class NewFile {
  public:
    explicit NewFile(const std::filesystem::path& path);

    const std::filesystem::path& path() const { return output_.target(); }
    hid_t id() const { return file_; }

    /// Throws ComputeError if a write has failed. Calls of HDF5 do not tell: see hdf5_driver.hpp.
    void check() const;
    /// Every other handle into the file must be closed by now.
    void commit();

  private:
    AtomicFile output_;
    std::unique_ptr<int> first_error_;  ///< outlives the file
    Handle file_;
};

}  // namespace fermat::hdf5
