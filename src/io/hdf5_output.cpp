#include "io/hdf5_output.hpp"

#include "core/error.hpp"
#include "io/hdf5_driver.hpp"

namespace fermat::hdf5 {

NewFile::NewFile(const std::filesystem::path& path)
    : output_(path), first_error_(std::make_unique<int>(0)) {
    const Session session;
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    const bool ready = use_recording_driver(access, output_.descriptor(), first_error_.get()) &&
                       H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_LATEST) >= 0;
    if (ready) {
        const Handle creation = creation_properties(H5P_FILE_CREATE);
        file_ = Handle(H5Fcreate(output_.temporary().c_str(), H5F_ACC_TRUNC, creation, access),
                       H5Fclose);
    }
    check();
    if (!file_.valid()) fail_write(path);
}

void NewFile::check() const {
    if (*first_error_ != 0) throw ComputeError(write_failure(path(), *first_error_));
}

void NewFile::commit() {
    const Session session;
    const bool closed = file_.reset();
    check();
    if (!closed) fail_write(path());
    output_.commit();
}

}  // namespace fermat::hdf5
