#pragma once

#include <concepts>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "io/text.hpp"

namespace fermat {

/// A file that readers look into. Its bytes are read, and unpacked if they are gzip's, when they
/// are first asked for, and then no more: whoever guesses the format and whoever reads it share
/// them. Copies share them too. A path converts to it, so that readers can be given a path.
class TextFile {
  public:
    template <class Path>
    requires(std::convertible_to<Path, std::filesystem::path> &&
             !std::same_as<std::remove_cvref_t<Path>, TextFile>) TextFile(Path&& path)
        : state_(std::make_shared<State>()) {  // NOLINT: implicit
        state_->path = std::forward<Path>(path);
    }

    const std::filesystem::path& path() const { return state_->path; }
    /// The name in quotes, as messages have it.
    std::string quoted() const;
    /// All bytes. Throws InputError as read_whole_file() does.
    const std::string& text() const;
    /// The first bytes, without reading the others of a file that is not packed.
    std::string head(std::size_t most) const;
    /// Whether the first bytes have zeros or others that no text has.
    bool is_binary() const;
    /// The first line that is neither empty nor, unless wanted, a '#' comment.
    std::string_view first_line(bool comments = false) const;
    /// Shows the '#' lines before a table's header to `found`, without their '#', until it says
    /// that it has what it wants. What a table keeps beside its columns stands there.
    void look_at_head(const std::function<bool(std::string_view)>& found) const;

  private:
    struct State {
        std::filesystem::path path;
        std::unique_ptr<const std::string> text;
    };
    std::shared_ptr<State> state_;
};

/// The lines of a file, and the start of messages about the line that was read last.
class FileLines {
  public:
    explicit FileLines(TextFile file) : file_(std::move(file)), lines_(file_.text()) {}

    std::size_t line() const { return lines_.number(); }
    std::string quoted() const { return file_.quoted(); }
    /// "'picks.dat' line 7: "
    std::string where() const;
    [[noreturn]] void fail(const std::string& problem) const;

  protected:
    TextFile file_;
    LineReader lines_;
};

}  // namespace fermat
