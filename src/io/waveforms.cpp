#include "io/waveforms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <system_error>

#include "core/error.hpp"
#include "io/suffix.hpp"

namespace fermat {
namespace {

namespace fs = std::filesystem;

/// The first bytes of a file: the headers of SEG-Y and of its first trace.
constexpr std::size_t record_head = 3840;

int byte_of(std::string_view head, std::size_t at) { return static_cast<unsigned char>(head[at]); }

/// Two bytes as a number, of either order.
bool has_pair(std::string_view head, std::size_t at, auto admits) {
    const int first = byte_of(head, at);
    const int second = byte_of(head, at + 1);
    return admits(256 * first + second) || admits(256 * second + first);
}

bool is_seg2(std::string_view head) {
    return head.starts_with("\x55\x3a") || head.starts_with("\x3a\x55");
}

/// 3200 bytes of cards, each "C ..." in EBCDIC or ASCII, or left empty; then a binary header that
/// tells the type of the samples.
bool is_segy(std::string_view head) {
    if (head.size() < record_head) return false;
    const std::string_view cards = head.substr(0, 3200);
    const bool empty = std::all_of(cards.begin(), cards.end(), [](char c) { return c == '\0'; });
    const int first = byte_of(head, 0);
    if (!empty && first != 0xC3 && first != 'C') return false;
    return has_pair(head, 3224, [](int code) { return code >= 1 && code <= 16; }) &&
           has_pair(head, 3220, [](int samples) { return samples > 0; });
}

/// A sequence number of six digits and the quality of the data; "MS" and the version since 3.
bool is_miniseed(std::string_view head) {
    if (head.size() < 48) return false;
    if (head.starts_with("MS\x03")) return true;
    const bool numbered = std::all_of(head.begin(), head.begin() + 6, [](char c) {
        return (c >= '0' && c <= '9') || c == ' ' || c == '\0';
    });
    const bool binary =
        std::any_of(head.begin(), head.begin() + 48, [](unsigned char c) { return c < '\t'; });
    constexpr std::string_view qualities = "DRQM";
    return numbered && binary && head[5] != ' ' &&
           qualities.find(head[6]) != std::string_view::npos && (head[7] == ' ' || head[7] == '\0');
}

/// Its 77th word is the version of the header.
bool is_sac(std::string_view head) {
    constexpr std::size_t header_size = 632;
    if (head.size() < header_size) return false;
    const std::string_view version = head.substr(4 * 76, 4);
    return version == std::string_view("\6\0\0\0", 4) || version == std::string_view("\0\0\0\6", 4);
}

std::string_view waveforms_of(std::string_view head) {
    if (is_seg2(head)) return "SEG-2";
    if (is_segy(head)) return "SEG-Y";
    if (is_miniseed(head)) return "miniSEED";
    if (is_sac(head)) return "SAC";
    return "";
}

}  // namespace

void refuse_waveforms(const TextFile& file) {
    std::error_code ignored;
    // .gtt is binary too, and holds picks.
    if (!fs::is_regular_file(file.path(), ignored) || suffix_of(file.path()) == ".gtt") return;
    const std::string_view format = waveforms_of(file.head(record_head));
    if (format.empty()) return;
    throw InputError(
        fmt::format("{} holds waveforms ({}) and picks are needed (fermat pick picks them; "
                    "fermat geometry reads where shots and receivers were)",
                    file.quoted(), format));
}

}  // namespace fermat
