#include "io/vtk_array.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "core/error.hpp"
#include "io/numbers.hpp"
#include "io/text.hpp"

namespace fermat {
namespace {

constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Decodes up to `wanted` bytes of base64. Padding is allowed inside, since some writers encode the
/// byte count and the values separately.
std::vector<std::byte> decode_base64(std::string_view text, std::size_t wanted) {
    std::array<signed char, 256> value{};
    value.fill(-1);
    for (std::size_t i = 0; i < alphabet.size(); ++i) {
        value[static_cast<unsigned char>(alphabet[i])] = static_cast<signed char>(i);
    }
    std::vector<std::byte> bytes;
    bytes.reserve(std::min(wanted, text.size() / 4 * 3));
    std::uint32_t group = 0;
    int digits = 0;
    int padding = 0;
    for (const char c : text) {
        if (bytes.size() >= wanted) break;
        if (c == ' ' || c == '\n' || c == '\r' || c == '\t') continue;
        const signed char digit = value[static_cast<unsigned char>(c)];
        if (c != '=' && digit < 0) break;
        group = group << 6 | static_cast<std::uint32_t>(c == '=' ? 0 : digit);
        padding += c == '=';
        if (++digits < 4) continue;
        for (int i = 0; i < 3 - padding; ++i) {
            bytes.push_back(static_cast<std::byte>(group >> (16 - 8 * i) & 0xff));
        }
        group = 0;
        digits = 0;
        padding = 0;
    }
    if (bytes.size() > wanted) bytes.resize(wanted);
    return bytes;
}

std::string name_of(const XmlElement& array) {
    return in_quotes(array.attribute("Name").value_or("without a name"));
}

std::vector<float> read_ascii(const XmlElement& array, std::size_t count) {
    std::vector<float> values;
    LineReader lines(array.text);
    while (const auto line = lines.next()) {
        for (const std::string_view word : split_words(*line)) {
            const auto number = parse_number(word);
            if (!number) {
                throw InputError(fmt::format("has {} in array {} (must be a number)",
                                             in_quotes(word), name_of(array)));
            }
            values.push_back(static_cast<float>(*number));
        }
    }
    if (values.size() != count) {
        throw InputError(fmt::format("has {} values in array {} (its extent needs {})",
                                     values.size(), name_of(array), count));
    }
    return values;
}

/// The stored bytes of an array, beginning with the byte count.
std::vector<std::byte> read_bytes(const XmlElement& array, const VtkStorage& storage,
                                  std::size_t wanted) {
    const std::string_view format = array.attribute("format").value_or("ascii");
    if (format == "binary") return decode_base64(array.text, wanted);
    if (format != "appended") {
        throw InputError(
            fmt::format("has array {} in the format {} (ascii, binary or appended can "
                        "be read)",
                        name_of(array), in_quotes(format)));
    }
    const auto offset = parse_integer(array.attribute("offset").value_or(""));
    if (!offset || *offset < 0 || static_cast<std::size_t>(*offset) > storage.appended.size()) {
        throw InputError(fmt::format(
            "has no data at the offset of array {} (it is truncated or damaged)", name_of(array)));
    }
    const std::string_view from = storage.appended.substr(static_cast<std::size_t>(*offset));
    if (storage.appended_base64) return decode_base64(from, wanted);
    const auto bytes = std::as_bytes(std::span(from.substr(0, wanted)));
    return {bytes.begin(), bytes.end()};
}

}  // namespace

std::vector<float> read_vtk_array(const XmlElement& array, const VtkStorage& storage,
                                  std::size_t count) {
    const std::string_view type = array.attribute("type").value_or("");
    if (type != "Float32" && type != "Float64") {
        throw InputError(fmt::format("has array {} of type {} (must be Float32 or Float64)",
                                     name_of(array), in_quotes(type)));
    }
    if (parse_integer(array.attribute("NumberOfComponents").value_or("1")) != 1) {
        throw InputError(
            fmt::format("has array {} of several components (must be 1)", name_of(array)));
    }
    if (array.attribute("format").value_or("ascii") == "ascii") return read_ascii(array, count);
    if (storage.compressed) {
        throw InputError(
            "is compressed (save it with the compressor None, in Python "
            "writer.SetCompressorTypeToNone(), or as VTKHDF)");
    }
    const std::size_t value_size = type == "Float32" ? 4 : 8;
    const std::size_t data = count * value_size;
    const auto bytes = read_bytes(array, storage, storage.header_size + data);
    const bool has_header = bytes.size() >= storage.header_size;
    std::uint64_t stored = 0;
    if (has_header) {
        stored = storage.header_size == 4 ? load_bits<std::uint32_t>(bytes.data(), storage.swapped)
                                          : load_bits<std::uint64_t>(bytes.data(), storage.swapped);
    }
    if (!has_header || stored != data || bytes.size() != storage.header_size + data) {
        throw InputError(
            fmt::format("has {} bytes of array {} where its extent needs {} (it is "
                        "truncated or damaged)",
                        has_header ? bytes.size() - storage.header_size : 0, name_of(array), data));
    }
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) {
        values[i] = static_cast<float>(
            load_float(&bytes[storage.header_size + i * value_size], value_size, storage.swapped));
    }
    return values;
}

}  // namespace fermat
