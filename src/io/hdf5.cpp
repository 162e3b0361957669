#include "io/hdf5.hpp"

#include <fmt/format.h>

#include <atomic>
#include <string_view>

#include "core/error.hpp"
#include "io/input_file.hpp"

namespace fermat::hdf5 {
namespace {

namespace fs = std::filesystem;

/// Deflate compresses by 1032:1 at most. More data per byte in the file means damage, or a dataset
/// that was never written.
constexpr double best_compression = 1032;
constexpr int max_rank = 4;

std::recursive_mutex& library_mutex() {
    static std::recursive_mutex mutex;
    return mutex;
}

std::atomic<bool>& saw_damage() {
    static std::atomic<bool> seen{false};
    return seen;
}

Handle simple_space(std::size_t count) {
    const hsize_t extent = count;
    return {H5Screate_simple(1, &extent, nullptr), H5Sclose};
}

template <class T>
void write_numbers(hid_t object, const char* name, hid_t type, std::span<const T> values,
                   const fs::path& file) {
    const Handle space = simple_space(values.size());
    const Handle attribute(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT),
                           H5Aclose);
    if (!attribute.valid() || H5Awrite(attribute, type, values.data()) < 0) fail_write(file);
}

Handle open_attribute(hid_t object, const char* name, const fs::path& file) {
    if (H5Aexists(object, name) <= 0) {
        throw InputError(fmt::format("'{}' has no attribute '{}' (not a complete VTKHDF file)",
                                     file.string(), name));
    }
    Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
    if (!attribute.valid()) fail_read(file, fmt::format("attribute '{}'", name));
    return attribute;
}

template <class T>
void read_numbers(hid_t object, const char* name, hid_t type, std::span<T> values,
                  const fs::path& file) {
    const Handle attribute = open_attribute(object, name, file);
    const Handle space(H5Aget_space(attribute), H5Sclose);
    const Handle stored(H5Aget_type(attribute), H5Tclose);
    const H5T_class_t kind = H5Tget_class(stored);
    const auto count = H5Sget_simple_extent_npoints(space);
    if ((kind != H5T_FLOAT && kind != H5T_INTEGER) ||
        count != static_cast<hssize_t>(values.size())) {
        throw InputError(fmt::format("'{}' has an attribute '{}' that is not {} numbers",
                                     file.string(), name, values.size()));
    }
    if (H5Aread(attribute, type, values.data()) < 0) {
        fail_read(file, fmt::format("attribute '{}'", name));
    }
}

/// True if HDF5's signature is at byte 0 or, after a user block, at 512, 1024, 2048, ...
bool has_signature(const InputFile& file) {
    constexpr std::string_view signature("\x89HDF\r\n\x1a\n", 8);
    std::string bytes(signature.size(), '\0');
    for (std::uint64_t at = 0; at + bytes.size() <= file.size(); at = at == 0 ? 512 : 2 * at) {
        file.read(at, std::as_writable_bytes(std::span(bytes)));
        if (bytes == signature) return true;
    }
    return false;
}

/// Reports causes that HDF5 hides: a missing file, a folder, no permission, no free descriptor.
void check_signature(const fs::path& path) {
    const InputFile file(path);
    if (file.size() == 0) throw InputError(fmt::format("'{}' is empty", path.string()));
    if (!has_signature(file)) {
        throw InputError(fmt::format("'{}' is not an HDF5 file", path.string()));
    }
}

/// The complete record of HDF5's last failure.
std::string whole_record() {
    std::string text;
    const auto add = [](unsigned, const H5E_error2_t* record, void* data) -> herr_t {
        if (record->desc) *static_cast<std::string*>(data) += record->desc;
        return 0;
    };
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, add, &text);
    return text;
}

/// Reports why HDF5 cannot open a file that has its signature: another process writes it, a system
/// error, or damage.
[[noreturn]] void fail_open(const fs::path& path) {
    const std::string record = whole_record();
    const auto has = [&](std::string_view words) {
        return record.find(words) != std::string::npos;
    };
    if (has("unable to lock file") || has("already open for write")) {
        throw InputError(fmt::format(
            "cannot open '{}': another program has it open for writing (close it there; "
            "if that program crashed, h5clear -s frees the file)",
            path.string()));
    }
    const std::string reason = last_reason();
    if (has("unable to open file: name")) {
        throw InputError(fmt::format("cannot open '{}': {}", path.string(), reason));
    }
    throw InputError(
        fmt::format("cannot open '{}': it is truncated or damaged ({})", path.string(), reason));
}

std::string type_name(hid_t type) {
    switch (H5Tget_class(type)) {
        case H5T_FLOAT:
            return fmt::format("float{}", 8 * H5Tget_size(type));
        case H5T_INTEGER:
            return fmt::format("{}int{}", H5Tget_sign(type) == H5T_SGN_NONE ? "u" : "",
                               8 * H5Tget_size(type));
        case H5T_STRING:
            return "text";
        default:
            return "another type";
    }
}

void check_storage(const Dataset& dataset, std::size_t value_size, hid_t file_id,
                   const std::string& path, const fs::path& file) {
    double bytes = static_cast<double>(value_size);
    for (const hsize_t n : dataset.shape) bytes *= static_cast<double>(n);
    hsize_t file_size = 0;
    if (H5Fget_filesize(file_id, &file_size) < 0) fail_read(file, "its size");
    const Handle properties(H5Dget_create_plist(dataset.id), H5Pclose);
    const bool packed = H5Pget_layout(properties) == H5D_CHUNKED;
    const auto stored = static_cast<double>(H5Dget_storage_size(dataset.id));
    const auto limit = static_cast<double>(file_size) * (packed ? best_compression : 1.0);
    if (bytes > limit || (!packed && stored < bytes) || (bytes > 0 && stored == 0)) {
        throw InputError(
            fmt::format("'{}' does not hold the {:.0f} bytes of '{}' (it is truncated "
                        "or damaged, or the data was never written)",
                        file.string(), bytes, path));
    }
}

}  // namespace

Session::Session() : lock_(library_mutex()) {
    H5Eget_auto2(H5E_DEFAULT, &printer_, &printer_data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Session::~Session() {
    if (!saw_damage()) H5Eset_auto2(H5E_DEFAULT, printer_, printer_data_);
}

bool Handle::reset() {
    const hid_t id = std::exchange(id_, H5I_INVALID_HID);
    if (id < 0) return true;
    const Session session;
    return close_(id) >= 0;
}

std::string last_reason() {
    std::string reason;
    // The innermost record is the cause; records of the file driver quote the message of the
    // system.
    const auto look = [](unsigned, const H5E_error2_t* record, void* data) -> herr_t {
        auto& found = *static_cast<std::string*>(data);
        const std::string_view text = record->desc ? record->desc : "";
        constexpr std::string_view mark = "error message = '";
        const std::size_t begin = text.find(mark);
        if (begin != std::string_view::npos) {
            const std::string_view words = text.substr(begin + mark.size());
            found = words.substr(0, words.find('\''));
            return 1;
        }
        if (found.empty()) found = text;
        return 0;
    };
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, look, &reason);
    return reason.empty() ? "unknown failure in HDF5" : reason;
}

void fail_write(const fs::path& file) {
    throw ComputeError(fmt::format("cannot write '{}': {}", file.string(), last_reason()));
}

void fail_read(const fs::path& file, const std::string& what) {
    saw_damage() = true;
    throw InputError(fmt::format("cannot read {} of '{}': it is truncated or damaged ({})", what,
                                 file.string(), last_reason()));
}

Handle open_file(const fs::path& path) {
    check_signature(path);
    Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    if (!file.valid()) fail_open(path);
    return file;
}

Handle creation_properties(hid_t property_class) {
    Handle properties(H5Pcreate(property_class), H5Pclose);
    H5Pset_obj_track_times(properties, false);
    return properties;
}

Handle create_group(hid_t parent, const std::string& name, const fs::path& file) {
    const Handle properties = creation_properties(H5P_GROUP_CREATE);
    Handle group(H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, properties, H5P_DEFAULT), H5Gclose);
    if (!group.valid()) fail_write(file);
    return group;
}

void write_attribute(hid_t object, const char* name, std::span<const double> values,
                     const fs::path& file) {
    write_numbers(object, name, H5T_NATIVE_DOUBLE, values, file);
}

void write_attribute(hid_t object, const char* name, std::span<const std::int64_t> values,
                     const fs::path& file) {
    write_numbers(object, name, H5T_NATIVE_INT64, values, file);
}

void write_attribute(hid_t object, const char* name, const std::string& text,
                     const fs::path& file) {
    const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type, text.size());
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
    const Handle attribute(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT),
                           H5Aclose);
    if (!attribute.valid() || H5Awrite(attribute, type, text.data()) < 0) fail_write(file);
}

void read_attribute(hid_t object, const char* name, std::span<double> values,
                    const fs::path& file) {
    read_numbers(object, name, H5T_NATIVE_DOUBLE, values, file);
}

void read_attribute(hid_t object, const char* name, std::span<std::int64_t> values,
                    const fs::path& file) {
    read_numbers(object, name, H5T_NATIVE_INT64, values, file);
}

std::string read_text_attribute(hid_t object, const char* name, const fs::path& file) {
    constexpr std::size_t longest = 64;
    const Handle attribute = open_attribute(object, name, file);
    const Handle space(H5Aget_space(attribute), H5Sclose);
    const Handle type(H5Aget_type(attribute), H5Tclose);
    const std::size_t size = H5Tget_size(type);
    if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0 || size > longest ||
        H5Sget_simple_extent_npoints(space) != 1) {
        throw InputError(
            fmt::format("'{}' has an attribute '{}' that is not a short text of fixed "
                        "length",
                        file.string(), name));
    }
    std::string text(size, '\0');
    if (H5Aread(attribute, type, text.data()) < 0) {
        fail_read(file, fmt::format("attribute '{}'", name));
    }
    return text.substr(0, text.find('\0'));
}

bool exists(hid_t parent, const std::string& path, const fs::path& file) {
    for (std::size_t end = path.find('/');; end = path.find('/', end + 1)) {
        const std::string part = path.substr(0, end);
        const htri_t there = H5Lexists(parent, part.c_str(), H5P_DEFAULT);
        if (there < 0) fail_read(file, fmt::format("'{}'", part));
        if (there == 0) return false;
        if (end == std::string::npos) return true;
    }
}

std::size_t Dataset::count() const {
    std::size_t n = 1;
    for (const hsize_t extent : shape) n *= static_cast<std::size_t>(extent);
    return n;
}

Dataset open_dataset(hid_t parent, const std::string& path, Kind kind, const fs::path& file) {
    if (!exists(parent, path, file)) {
        throw InputError(fmt::format("'{}' has no dataset '{}'", file.string(), path));
    }
    Dataset dataset;
    dataset.id = Handle(H5Dopen2(parent, path.c_str(), H5P_DEFAULT), H5Dclose);
    if (!dataset.id.valid()) fail_read(file, fmt::format("dataset '{}'", path));
    const Handle type(H5Dget_type(dataset.id), H5Tclose);
    const bool floating = kind == Kind::floating;
    if (H5Tget_class(type) != (floating ? H5T_FLOAT : H5T_INTEGER)) {
        throw InputError(fmt::format("'{}' holds '{}' as {} (must be {})", file.string(), path,
                                     type_name(type), floating ? "floating point" : "integer"));
    }
    const Handle space(H5Dget_space(dataset.id), H5Sclose);
    const int rank = H5Sget_simple_extent_ndims(space);
    if (rank < 1 || rank > max_rank) {
        throw InputError(
            fmt::format("'{}' holds '{}' with {} dimensions", file.string(), path, rank));
    }
    dataset.shape.resize(static_cast<std::size_t>(rank));
    H5Sget_simple_extent_dims(space, dataset.shape.data(), nullptr);
    const Handle whole(H5Iget_file_id(dataset.id), H5Fclose);
    check_storage(dataset, H5Tget_size(type), whole, path, file);
    return dataset;
}

std::vector<std::string> dataset_names(hid_t parent, const std::string& group,
                                       const fs::path& file) {
    std::vector<std::string> names;
    if (!exists(parent, group, file)) return names;
    const Handle id(H5Gopen2(parent, group.c_str(), H5P_DEFAULT), H5Gclose);
    if (!id.valid()) fail_read(file, fmt::format("group '{}'", group));
    const auto keep = [](hid_t, const char* name, const H5L_info_t*, void* data) -> herr_t {
        static_cast<std::vector<std::string>*>(data)->emplace_back(name);
        return 0;
    };
    if (H5Literate(id, H5_INDEX_NAME, H5_ITER_INC, nullptr, keep, &names) < 0) {
        fail_read(file, fmt::format("group '{}'", group));
    }
    return names;
}

}  // namespace fermat::hdf5
