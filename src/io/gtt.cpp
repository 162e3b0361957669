#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>

#include "core/error.hpp"
#include "io/format_table.hpp"
#include "io/numbers.hpp"
#include "io/suffix.hpp"

namespace fermat {
namespace {

constexpr std::size_t header_bytes = 100;
constexpr std::size_t record_bytes = 24;
constexpr bool swapped = !big_endian_machine;

std::uint32_t whole_at(std::span<const std::byte> bytes, std::size_t offset) {
    return load_bits<std::uint32_t>(&bytes[offset], swapped);
}
double float_at(std::span<const std::byte> bytes, std::size_t offset) {
    return load_float(&bytes[offset], 4, swapped);
}

/// x, y and height at an offset, as a position with z downward.
Vec3 point_at(std::span<const std::byte> bytes, std::size_t offset, const std::string& where) {
    const Vec3 p{float_at(bytes, offset), float_at(bytes, offset + 4),
                 0.0 - float_at(bytes, offset + 8)};
    if (!is_finite(p)) throw InputError(where + "has a position that is not finite");
    return p;
}

/// Tomo+ `.gtt`, big-endian: 100 bytes of header (number of shots, ...), then per shot 24 bytes
/// (number, channels, x, y, height, unused) and per channel 24 bytes (number, x, y, height, unused,
/// time in s). A channel with time 0 has no pick.
SurveyFile read_gtt(const TextFile& file, const PickReadOptions& options, Notes& notes) {
    const std::span<const std::byte> all = std::as_bytes(std::span(file.text()));
    PickDialect dialect = PickDialect::of_program("", "s");
    dialect.flat_if_on_axis = true;
    PickBuilder builder(file.path(), options, dialect);
    std::size_t at = 0;
    const std::string quoted = file.quoted();
    const auto take = [&](std::span<std::byte> bytes, const std::string& what) {
        if (all.size() - at < bytes.size()) {
            throw InputError(
                fmt::format("{} ends in {} (it is truncated at byte {}, or not a .gtt of Tomo+)",
                            quoted, what, all.size()));
        }
        std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(at), bytes.size(), bytes.begin());
        at += bytes.size();
    };
    std::array<std::byte, header_bytes> header{};
    take(header, "its header");
    const std::uint32_t shots = whole_at(header, 0);
    std::array<std::byte, record_bytes> record{};
    for (std::uint32_t shot = 0; shot < shots; ++shot) {
        const std::string where = fmt::format("{} shot {} of {}: ", quoted, shot + 1, shots);
        take(record, fmt::format("shot {} of {}", shot + 1, shots));
        const std::uint32_t channels = whole_at(record, 4);
        const Vec3 source = point_at(record, 8, where);
        builder.add_point(source);
        for (std::uint32_t channel = 0; channel < channels; ++channel) {
            take(record, fmt::format("channel {} of shot {}", channel + 1, shot + 1));
            const double time = float_at(record, 20);
            if (time == 0) {
                builder.leave_out("have time 0, which means no pick");
                continue;
            }
            const Vec3 receiver = point_at(record, 4, where);
            builder.add_point(receiver);
            builder.add({source, receiver, time, missing_error, 0});
        }
    }
    if (at < all.size()) {
        notes.add(
            fmt::format("{}: {} bytes after the last shot were not read", quoted, all.size() - at));
    }
    return builder.finish(notes);
}

}  // namespace

const PickReader gtt_picks{
    PickFormat::gtt,
    [](const TextFile& file) { return input_suffix_of(file.path()) == ".gtt" && file.is_binary(); },
    nullptr, read_gtt};

}  // namespace fermat
