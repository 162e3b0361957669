#pragma once

#include <hdf5.h>

namespace fermat::hdf5 {

/// Makes a file access list write through our own driver to an open file, which stays open when
/// HDF5 closes it; the name that HDF5 is given counts for nothing. When a write fails, the driver
/// keeps the system's error number in `first_error`, which must outlive the file, and lets HDF5 go
/// on as if the bytes had been written: HDF5 1.10 cannot close a file whose last bytes do not fit
/// the disk, and crashes when the process ends. The caller asks `first_error` and throws the file
/// away.
bool use_recording_driver(hid_t access_list, int descriptor, int* first_error);

}  // namespace fermat::hdf5
