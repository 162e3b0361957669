#include "io/hdf5_driver.hpp"

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <new>

namespace fermat::hdf5 {
namespace {

/// Data of the driver in the file access list.
struct DriverInfo {
    int descriptor;
    int* first_error;
};

/// An open file. HDF5 requires its own struct as the first member.
struct DriverFile {
    H5FD_t base;
    int descriptor;
    haddr_t allocated;  ///< end of the space that HDF5 has allocated
    haddr_t end;        ///< end of the file
    int* first_error;
};

DriverFile& ours(H5FD_t* file) { return *reinterpret_cast<DriverFile*>(file); }
const DriverFile& ours(const H5FD_t* file) { return *reinterpret_cast<const DriverFile*>(file); }

void record(const DriverFile& file, int error) {
    if (*file.first_error == 0) *file.first_error = error;
}

H5FD_t* open_file(const char*, unsigned, hid_t access_list, haddr_t) {
    const auto* info = static_cast<const DriverInfo*>(H5Pget_driver_info(access_list));
    if (!info) return nullptr;
    const bool empty = ::ftruncate(info->descriptor, 0) == 0;
    auto* file = empty ? new (std::nothrow) DriverFile{} : nullptr;
    if (!file) {
        *info->first_error = empty ? ENOMEM : errno;
        return nullptr;
    }
    file->descriptor = info->descriptor;
    file->first_error = info->first_error;
    return &file->base;
}

herr_t close_file(H5FD_t* file) {
    delete &ours(file);
    return 0;
}

herr_t query(const H5FD_t*, unsigned long* flags) {
    if (flags) {
        *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA |
                 H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA;
    }
    return 0;
}

haddr_t get_allocated(const H5FD_t* file, H5FD_mem_t) { return ours(file).allocated; }

herr_t set_allocated(H5FD_t* file, H5FD_mem_t, haddr_t address) {
    ours(file).allocated = address;
    return 0;
}

haddr_t get_end(const H5FD_t* file, H5FD_mem_t) { return ours(file).end; }

herr_t read_bytes(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t size,
                  void* buffer) {
    auto* bytes = static_cast<char*>(buffer);
    while (size > 0) {
        const ssize_t got =
            ::pread(ours(file).descriptor, bytes, size, static_cast<off_t>(address));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return -1;
        if (got == 0) break;
        bytes += got;
        size -= static_cast<std::size_t>(got);
        address += static_cast<haddr_t>(got);
    }
    std::memset(bytes, 0, size);
    return 0;
}

herr_t write_bytes(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t size,
                   const void* buffer) {
    const auto* bytes = static_cast<const char*>(buffer);
    ours(file).end = std::max(ours(file).end, address + size);
    while (size > 0 && *ours(file).first_error == 0) {
        const ssize_t put =
            ::pwrite(ours(file).descriptor, bytes, size, static_cast<off_t>(address));
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) {
            record(ours(file), errno);
            break;
        }
        bytes += put;
        size -= static_cast<std::size_t>(put);
        address += static_cast<haddr_t>(put);
    }
    return 0;
}

herr_t truncate_file(H5FD_t* file, hid_t, hbool_t) {
    DriverFile& f = ours(file);
    if (f.end == f.allocated) return 0;
    if (*f.first_error == 0 && ::ftruncate(f.descriptor, static_cast<off_t>(f.allocated)) != 0) {
        record(f, errno);
    }
    f.end = f.allocated;
    return 0;
}

H5FD_class_t driver_class() {
    H5FD_class_t driver{};
#if H5_VERSION_GE(1, 13, 0)
    driver.version = H5FD_CLASS_VERSION;
    // A number from the range that HDF5 reserves for applications.
    driver.value = static_cast<H5FD_class_value_t>(560);
#endif
    driver.name = "fermat";
    driver.maxaddr = static_cast<haddr_t>(std::numeric_limits<off_t>::max());
    driver.fc_degree = H5F_CLOSE_WEAK;
    driver.fapl_size = sizeof(DriverInfo);
    driver.open = open_file;
    driver.close = close_file;
    driver.query = query;
    driver.get_eoa = get_allocated;
    driver.set_eoa = set_allocated;
    driver.get_eof = get_end;
    driver.read = read_bytes;
    driver.write = write_bytes;
    driver.truncate = truncate_file;
    return driver;
}

}  // namespace

bool use_recording_driver(hid_t access_list, int descriptor, int* first_error) {
    static const H5FD_class_t driver = driver_class();
    static const hid_t id = H5FDregister(&driver);
    const DriverInfo info{descriptor, first_error};
    return id >= 0 && H5Pset_driver(access_list, id, &info) >= 0;
}

}  // namespace fermat::hdf5
