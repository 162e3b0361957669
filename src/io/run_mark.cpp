#include "io/run_mark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>

#include "core/error.hpp"
#include "io/hdf5.hpp"
#include "io/input_file.hpp"
#include "io/suffix.hpp"
#include "io/text.hpp"

namespace fermat {
namespace {

namespace fs = std::filesystem;

/// Holds the header of a table and its first row.
constexpr std::uint64_t marked_head = 1 << 16;

std::string head_of(const fs::path& path) {
    const InputFile file(path);
    std::string text(static_cast<std::size_t>(std::min(file.size(), marked_head)), '\0');
    file.read(0, std::as_writable_bytes(std::span(text)));
    return text;
}

std::string last_field(std::string_view line) {
    const std::size_t comma = line.rfind(',');
    return comma == std::string_view::npos ? "" : std::string(trim(line.substr(comma + 1)));
}

std::string run_of_table(const fs::path& path) {
    const std::string head = head_of(path);
    LineReader lines(head);
    const auto header = lines.next();
    const auto row = lines.next();
    return header && row && last_field(*header) == run_mark ? last_field(*row) : "";
}

std::string run_of_text(const fs::path& path) {
    const std::string head = head_of(path);
    LineReader lines(head);
    const auto words = split_words(lines.next().value_or(""));
    const bool marked = words.size() == 3 && words[0] == "#" && words[1] == run_mark;
    return marked ? std::string(words[2]) : "";
}

std::string run_of_xml(const fs::path& path) {
    const std::string head = head_of(path);
    const std::string mark = fmt::format(" {}=\"", run_mark);
    const std::size_t begin = head.find(mark);
    if (begin == std::string::npos) return "";
    const std::size_t end = head.find('"', begin + mark.size());
    return end == std::string::npos ? ""
                                    : head.substr(begin + mark.size(), end - begin - mark.size());
}

std::string run_of_hdf5(const fs::path& path) {
    const hdf5::Session session;
    const hdf5::Handle file = hdf5::open_file(path);
    if (H5Aexists(file, run_mark) <= 0) return "";
    return hdf5::read_text_attribute(file, run_mark, path);
}

}  // namespace

std::string run_of_file(const fs::path& path) {
    const std::string suffix = suffix_of(path);
    try {
        if (suffix == ".h5" || suffix == ".vtkhdf") return run_of_hdf5(path);
        if (suffix == ".xml") return run_of_xml(path);
        return suffix == ".csv" ? run_of_table(path) : run_of_text(path);
    } catch (const InputError&) {
        return "";
    }
}

std::string run_comment(const std::string& run) { return fmt::format("# {} {}\n", run_mark, run); }

}  // namespace fermat
