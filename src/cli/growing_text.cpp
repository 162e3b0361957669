#include "cli/growing_text.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <system_error>
#include <thread>
#include <utility>

#include "core/error.hpp"

namespace fermat::cli {
namespace {

namespace fs = std::filesystem;

constexpr int wait_ms = 200;

}  // namespace

GrowingText::GrowingText(const fs::path& path) : standard_(path == "-"), path_(path) {
    if (!standard_ && !fs::exists(path)) {
        throw InputError(
            fmt::format("'{}' is not there (--follow waits for rows of a file, not for the file)",
                        path.string()));
    }
}

std::vector<std::string> GrowingText::next() {
    standard_ ? take_from_input() : take_from_file();
    std::vector<std::string> out;
    for (std::size_t end = 0; (end = rest_.find('\n')) != std::string::npos;) {
        out.push_back(rest_.substr(0, end));
        if (!out.back().empty() && out.back().back() == '\r') out.back().pop_back();
        rest_.erase(0, end + 1);
    }
    if (ended_ && !rest_.empty()) out.push_back(std::exchange(rest_, {}));
    return out;
}

void GrowingText::take_from_input() {
    pollfd one{STDIN_FILENO, POLLIN, 0};
    if (ended_ || poll(&one, 1, wait_ms) <= 0) return;
    char bytes[65536];
    const auto count = read(STDIN_FILENO, bytes, sizeof bytes);
    if (count > 0) rest_.append(bytes, static_cast<std::size_t>(count));
    ended_ = count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN);
}

void GrowingText::take_from_file() {
    std::error_code gone;
    const auto size = fs::file_size(path_, gone);
    if (gone || size == offset_) {
        std::this_thread::sleep_for(std::chrono::milliseconds(wait_ms));
        return;
    }
    if (size < offset_) {  // begun anew
        offset_ = 0;
        rest_.clear();
    }
    std::ifstream file(path_, std::ios::binary);
    file.seekg(static_cast<std::streamoff>(offset_));
    std::string bytes(size - offset_, '\0');
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
    offset_ += bytes.size();
    rest_ += bytes;
}

}  // namespace fermat::cli
