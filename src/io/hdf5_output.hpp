#pragma once

#include <memory>

#include "io/atomic_file.hpp"
#include "io/hdf5.hpp"

namespace fermat::hdf5 {

/// A new HDF5 file that appears complete at commit(), or not at all. Its format has checksums of
/// all metadata, so that readers notice damage.
class NewFile {
  public:
    explicit NewFile(const std::filesystem::path& path);

    const std::filesystem::path& path() const { return output_.target(); }
    hid_t id() const { return file_; }

    /// Throws ComputeError if a write has failed. HDF5 itself does not report it: see
    /// hdf5_driver.hpp.
    void check() const;
    /// Closes the file and renames it. All other handles into the file must be closed before.
    void commit();

  private:
    AtomicFile output_;
    std::unique_ptr<int> first_error_;  ///< must outlive the file
    Handle file_;
};

}  // namespace fermat::hdf5
