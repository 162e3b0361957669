#pragma once

#include <hdf5.h>

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace fermat::hdf5 {

/// Required around every call of HDF5. It admits one thread at a time, because the library is not
/// built thread-safe, and suppresses HDF5's own error output. It may be nested.
///
/// Damaged files: files that Fermat writes have checksums, and every size is checked against the
/// file before memory is allocated. Files in HDF5's oldest format, h5py's default, have no
/// checksums; HDF5 1.10 itself may crash on a damaged one, which cannot be prevented here.
class Session {
  public:
    Session();
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

  private:
    std::unique_lock<std::recursive_mutex> lock_;
    H5E_auto2_t printer_ = nullptr;
    void* printer_data_ = nullptr;
};

/// Owner of an HDF5 identifier.
class Handle {
  public:
    using Close = herr_t (*)(hid_t);

    Handle() = default;
    Handle(hid_t id, Close close) : id_(id), close_(close) {}
    ~Handle() { reset(); }
    Handle(Handle&& other) noexcept
        : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
    Handle& operator=(Handle&& other) noexcept {
        std::swap(id_, other.id_);
        std::swap(close_, other.close_);
        return *this;
    }

    operator hid_t() const { return id_; }
    bool valid() const { return id_ >= 0; }
    /// Closes the object now. False if that failed, for example because the last bytes could not be
    /// written.
    bool reset();

  private:
    hid_t id_ = H5I_INVALID_HID;
    Close close_ = nullptr;
};

/// Why the last call failed, from HDF5's error record.
std::string last_reason();

/// Throws ComputeError "cannot write 'file': reason".
[[noreturn]] void fail_write(const std::filesystem::path& file);
/// Throws InputError "cannot read what of 'file': reason". HDF5 1.10 loses track of an object whose
/// header is damaged, and prints errors to stderr when the process ends. Its error output therefore
/// stays off after this call.
[[noreturn]] void fail_read(const std::filesystem::path& file, const std::string& what);

/// Creation properties of a file (H5P_FILE_CREATE), group or dataset, without the time of creation,
/// so that equal results are equal files.
Handle creation_properties(hid_t property_class);

Handle open_file(const std::filesystem::path& path);
Handle create_group(hid_t parent, const std::string& name, const std::filesystem::path& file);

void write_attribute(hid_t object, const char* name, std::span<const double> values,
                     const std::filesystem::path& file);
void write_attribute(hid_t object, const char* name, std::span<const std::int64_t> values,
                     const std::filesystem::path& file);
/// Writes a fixed-length ASCII string, the only kind that VTK accepts.
void write_attribute(hid_t object, const char* name, const std::string& text,
                     const std::filesystem::path& file);

/// Reads exactly `values.size()` numbers. Throws InputError if the attribute is missing or has
/// another size or type.
void read_attribute(hid_t object, const char* name, std::span<double> values,
                    const std::filesystem::path& file);
void read_attribute(hid_t object, const char* name, std::span<std::int64_t> values,
                    const std::filesystem::path& file);
std::string read_text_attribute(hid_t object, const char* name, const std::filesystem::path& file);

/// True if every part of a path such as "VTKHDF/PointData/velocity" exists. Throws InputError if
/// damage hides the answer.
bool exists(hid_t parent, const std::string& path, const std::filesystem::path& file);

enum class Kind { floating, integer };

/// A dataset of the expected kind whose data is in the file, so that memory of its size may be
/// allocated. Throws InputError otherwise.
struct Dataset {
    Handle id;
    std::vector<hsize_t> shape;

    std::size_t count() const;
};
Dataset open_dataset(hid_t parent, const std::string& path, Kind kind,
                     const std::filesystem::path& file);

/// Names of the datasets in a group, in the library's order; none if there is no such group.
std::vector<std::string> dataset_names(hid_t parent, const std::string& group,
                                       const std::filesystem::path& file);

}  // namespace fermat::hdf5
