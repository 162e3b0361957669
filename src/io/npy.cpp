#include "io/npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "io/atomic_file.hpp"
#include "io/input_file.hpp"
#include "io/model_formats.hpp"
#include "io/numbers.hpp"
#include "io/text.hpp"

namespace fermat {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t longest_header = 1 << 16;

struct NpyHeader {
    std::uint64_t data_offset = 0;
    std::size_t value_size = 4;
    bool swapped = false;
    bool fortran = false;
    std::vector<std::int64_t> shape;
};

[[noreturn]] void fail(const fs::path& path, const std::string& problem) {
    throw InputError(fmt::format("'{}' {}", path.string(), problem));
}

/// The text after 'key': in the header, which is a Python dictionary.
std::string_view value_of(std::string_view header, std::string_view key, const fs::path& path) {
    const std::size_t at = header.find(fmt::format("'{}'", key));
    const std::size_t colon = at == std::string_view::npos ? at : header.find(':', at);
    if (colon == std::string_view::npos) {
        fail(path, fmt::format("has no '{}' in its header (not a complete .npy file)", key));
    }
    return trim(header.substr(colon + 1));
}

void read_type(std::string_view value, NpyHeader& header, const fs::path& path) {
    const std::string_view type = value.substr(0, std::min(value.find(','), value.size()));
    const std::string_view code = type.size() == 5 ? type.substr(1, 3) : std::string_view();
    if (code != "<f4" && code != ">f4" && code != "=f4" && code != "<f8" && code != ">f8" &&
        code != "=f8") {
        fail(path,
             fmt::format("holds values of type {} (must be float32 or float64)", in_quotes(type)));
    }
    header.value_size = code[2] == '4' ? 4 : 8;
    header.swapped = code[0] != '=' && (code[0] == '>') != big_endian_machine;
}

std::vector<std::int64_t> read_shape(std::string_view value, const fs::path& path) {
    const std::size_t end = value.find(')');
    if (!value.starts_with('(') || end == std::string_view::npos) {
        fail(path, "has a shape in its header that cannot be read");
    }
    std::vector<std::int64_t> shape;
    std::string_view rest = value.substr(1, end - 1);
    while (!trim(rest).empty()) {
        const std::size_t comma = std::min(rest.find(','), rest.size());
        const auto extent = parse_integer(rest.substr(0, comma));
        if (!extent || *extent < 1 || *extent > std::numeric_limits<int>::max()) {
            fail(path, fmt::format("has the shape {} (extents must be positive)",
                                   in_quotes(value.substr(0, end + 1))));
        }
        shape.push_back(*extent);
        rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    if (shape.size() != 2 && shape.size() != 3) {
        fail(path,
             fmt::format("has {} dimensions (must be (nx, nz) or (nx, ny, nz))", shape.size()));
    }
    return shape;
}

NpyHeader read_header(const InputFile& file, const fs::path& path) {
    std::array<std::byte, 12> start{};
    if (file.size() < start.size()) fail(path, "is too short to be a .npy file");
    file.read(0, start);
    if (std::memcmp(start.data(), magic.data(), magic.size()) != 0) {
        fail(path, "is not a .npy file");
    }
    const int version = std::to_integer<int>(start[6]);
    if (version < 1 || version > 3) {
        fail(path, fmt::format("is of .npy version {} (1 to 3 can be read)", version));
    }
    const std::size_t prefix = version == 1 ? 10 : 12;
    std::size_t length = 0;
    for (std::size_t i = prefix; i-- > 8;)
        length = length << 8 | std::to_integer<std::size_t>(start[i]);
    if (length > longest_header || prefix + length > file.size()) {
        fail(path, fmt::format("has a header of {} bytes (it is truncated or damaged)", length));
    }
    std::string text(length, '\0');
    file.read(prefix, std::as_writable_bytes(std::span(text)));
    NpyHeader header;
    header.data_offset = prefix + length;
    read_type(value_of(text, "descr", path), header, path);
    header.fortran = value_of(text, "fortran_order", path).starts_with("True");
    header.shape = read_shape(value_of(text, "shape", path), path);
    return header;
}

}  // namespace

Field<float> read_npy(const fs::path& path) {
    const InputFile file(path);
    const NpyHeader header = read_header(file, path);
    const auto& n = header.shape;
    const bool flat = n.size() == 2;
    const Shape shape{static_cast<int>(n[0]), flat ? 1 : static_cast<int>(n[1]),
                      static_cast<int>(n.back())};
    const double bytes =
        static_cast<double>(shape.x) * shape.y * shape.z * static_cast<double>(header.value_size);
    const std::uint64_t stored = file.size() - header.data_offset;
    if (bytes != static_cast<double>(stored)) {
        fail(path, fmt::format("has {} bytes of data (shape {} needs {:.0f}: it is truncated or "
                               "damaged)",
                               stored, to_string(shape), bytes));
    }
    Field<float> field(shape);
    // Fortran order is C order with the axes reversed: x fastest.
    const std::size_t count = field.size();
    constexpr std::size_t piece = 1 << 20;
    std::vector<std::byte> buffer(std::min(count, piece) * header.value_size);
    const auto nx = static_cast<std::size_t>(shape.x);
    const auto ny = static_cast<std::size_t>(shape.y);
    for (std::size_t first = 0; first < count; first += piece) {
        const std::size_t values = std::min(piece, count - first);
        file.read(header.data_offset + first * header.value_size,
                  std::span(buffer).first(values * header.value_size));
        for (std::size_t i = 0; i < values; ++i) {
            const double v =
                load_float(&buffer[i * header.value_size], header.value_size, header.swapped);
            const std::size_t at = first + i;
            const std::size_t to = header.fortran ? ((at % nx) * ny + at / nx % ny) *
                                                            static_cast<std::size_t>(shape.z) +
                                                        at / nx / ny
                                                  : at;
            field[to] = static_cast<float>(v);
        }
    }
    return field;
}

void write_npy(const fs::path& path, FieldView<const float> values) {
    const Shape n = values.shape();
    std::string header = fmt::format("{{'descr': '{}f4', 'fortran_order': False, 'shape': {}, }}",
                                     big_endian_machine ? '>' : '<', to_string(n));
    // The data starts at a multiple of 64 bytes, so that it can be mapped into memory.
    constexpr std::size_t prefix = 10;
    header.append(63 - (prefix + header.size()) % 64, ' ');
    header += '\n';
    OutputFile file(path);
    file.write(magic);
    file.write({"\x01\x00", 2});
    const std::array<char, 2> length = {static_cast<char>(header.size() & 0xff),
                                        static_cast<char>(header.size() >> 8)};
    file.write({length.data(), length.size()});
    file.write(header);
    file.write({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)});
    file.commit();
}

const ModelFormat npy_model{".npy",
                            ToldOfModel::grid,
                            true,
                            nullptr,
                            [](const TextFile& file, const ModelFileOptions& options, Notes&) {
                                return of_values(file, read_npy(file.path()), options);
                            },
                            [](const std::filesystem::path& path, const Model& model,
                               const std::string&) { write_npy(path, model.given()); },
                            "",
                            false};

}  // namespace fermat
