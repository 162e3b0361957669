#include "io/text_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>

#include "core/error.hpp"
#include "io/input_file.hpp"

namespace fermat {

std::string TextFile::quoted() const { return fmt::format("'{}'", state_->path.string()); }

const std::string& TextFile::text() const {
    if (!state_->text) {
        state_->text = std::make_unique<const std::string>(read_whole_file(state_->path));
    }
    return *state_->text;
}

std::string TextFile::head(std::size_t most) const {
    const InputFile file(state_->path);
    std::string bytes(std::min<std::uint64_t>(file.size(), most), '\0');
    file.read(0, std::as_writable_bytes(std::span(bytes)));
    return bytes;
}

bool TextFile::is_binary() const {
    constexpr std::size_t looked_at = 64;
    const std::string_view start = std::string_view(text()).substr(0, looked_at);
    return std::any_of(start.begin(), start.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte < 9 || (byte > 13 && byte < 32);
    });
}

std::string_view TextFile::first_line(bool comments) const {
    LineReader lines(text());
    while (const auto line = lines.next()) {
        const std::string_view shown = trim(*line);
        if (!shown.empty() && (comments || !shown.starts_with('#'))) return shown;
    }
    return {};
}

void TextFile::look_at_head(const std::function<bool(std::string_view)>& found) const {
    LineReader lines(text());
    while (const auto line = lines.next()) {
        const std::string_view shown = trim(*line);
        if (shown.empty()) continue;
        if (!shown.starts_with('#') || found(trim(shown.substr(1)))) return;
    }
}

std::string FileLines::where() const {
    return fmt::format("{} line {}: ", file_.quoted(), lines_.number());
}

void FileLines::fail(const std::string& problem) const { throw InputError(where() + problem); }

}  // namespace fermat
