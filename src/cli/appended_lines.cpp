#include "cli/appended_lines.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>

#include "core/error.hpp"

namespace fermat::cli {
namespace {

namespace fs = std::filesystem;

void forget_half_line(const fs::path& path) {
    std::error_code none;
    if (!fs::is_regular_file(path, none)) return;
    std::ifstream file(path, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    const std::size_t end = text.find_last_of('\n');
    const std::size_t whole = end == std::string::npos ? 0 : end + 1;
    if (whole < text.size()) fs::resize_file(path, whole);
}

}  // namespace

AppendedLines::AppendedLines(const fs::path& path) {
    if (path == "-") return;
    forget_half_line(path);
    file_ = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (file_ < 0) {
        throw InputError(
            fmt::format("cannot write '{}' ({})", path.string(), std::strerror(errno)));
    }
}

AppendedLines::~AppendedLines() {
    if (file_ > STDOUT_FILENO) close(file_);
}

void AppendedLines::add(std::string line) {
    line += '\n';
    std::string_view rest = line;
    while (!rest.empty()) {
        const auto count = write(file_, rest.data(), rest.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) {
            throw ComputeError(fmt::format("cannot write the results ({})", std::strerror(errno)));
        }
        rest.remove_prefix(static_cast<std::size_t>(count));
    }
    if (file_ != STDOUT_FILENO) fsync(file_);
}

}  // namespace fermat::cli
