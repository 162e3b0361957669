#pragma once

#include <hdf5.h>

namespace fermat::hdf5 {

/// Makes a file access list write to an open file by a driver of our own. The file stays open when
/// HDF5 closes it; HDF5's file name is ignored. When a write fails, the driver stores the system's
/// error number in `first_error`, which must outlive the file, and reports success to HDF5: HDF5
/// 1.10 cannot close a file whose last bytes do not fit on the disk, and crashes when the process
/// ends. The caller checks `first_error` and discards the file.
bool use_recording_driver(hid_t access_list, int descriptor, int* first_error);

}  // namespace fermat::hdf5
