#include "cli/json.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace fermat::cli {

std::string json_text(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (static_cast<unsigned char>(c) < 0x20 || c == '<') {
            out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        } else {
            out += c;
        }
    }
    return out + '"';
}

std::string json_number(double value) {
    return std::isfinite(value) ? fmt::format("{}", value) : "null";
}

std::string json_floats(std::span<const float> values) {
    std::vector<std::uint8_t> bytes;
    bytes.reserve(4 * values.size());
    for (const float value : values) {
        const auto bits = std::bit_cast<std::uint32_t>(value);
        for (int shift = 0; shift < 32; shift += 8) {
            bytes.push_back(static_cast<std::uint8_t>(bits >> shift));
        }
    }
    constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out = "\"";
    out.reserve(bytes.size() / 3 * 4 + 8);
    for (std::size_t n = 0; n < bytes.size(); n += 3) {
        const std::size_t left = bytes.size() - n;
        std::uint32_t group = static_cast<std::uint32_t>(bytes[n]) << 16;
        if (left > 1) group |= static_cast<std::uint32_t>(bytes[n + 1]) << 8;
        if (left > 2) group |= bytes[n + 2];
        out += digits[group >> 18];
        out += digits[(group >> 12) & 63];
        out += left > 1 ? digits[(group >> 6) & 63] : '=';
        out += left > 2 ? digits[group & 63] : '=';
    }
    return out + '"';
}

}  // namespace fermat::cli
