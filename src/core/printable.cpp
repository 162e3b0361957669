#include "core/printable.hpp"

#include <cstddef>

namespace fermat {
namespace {

unsigned byte_at(std::string_view text, std::size_t at) {
    return static_cast<unsigned char>(text[at]);
}

/// Length in bytes of the multi-byte character at the start of the text. 0 if there is none, or if
/// it is one of the control characters U+0080 to U+009F.
std::size_t long_character(std::string_view text) {
    const unsigned lead = byte_at(text, 0);
    const std::size_t length = lead >= 0xc2 && lead <= 0xdf   ? 2
                               : lead >= 0xe0 && lead <= 0xef ? 3
                               : lead >= 0xf0 && lead <= 0xf4 ? 4
                                                              : 0;
    if (length == 0 || text.size() < length) return 0;
    for (std::size_t at = 1; at < length; ++at) {
        if ((byte_at(text, at) & 0xc0) != 0x80) return 0;
    }
    return lead == 0xc2 && byte_at(text, 1) < 0xa0 ? 0 : length;
}

}  // namespace

std::string printable(std::string_view text) {
    std::string shown;
    shown.reserve(text.size());
    while (!text.empty()) {
        const unsigned first = byte_at(text, 0);
        const bool plain = first >= 0x20 && first < 0x7f;
        const std::size_t length = plain ? 1 : long_character(text);
        if (length > 0) {
            shown += text.substr(0, length);
        } else {
            shown += first == '\n' || first == '\r' || first == '\t' ? ' ' : '?';
        }
        text.remove_prefix(length > 0 ? length : 1);
    }
    return shown;
}

}  // namespace fermat
