#include "io/sgt.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "io/input_file.hpp"
#include "io/position_index.hpp"
#include "io/text.hpp"

namespace fermat {
namespace {

class SgtReader {
  public:
    explicit SgtReader(const std::filesystem::path& path)
        : path_(path), content_(read_whole_file(path)), lines_(content_) {}

    SgtSurvey read() {
        read_points();
        Picks picks = read_picks();
        return {std::move(points_), std::move(picks)};
    }

  private:
    [[noreturn]] void fail(const std::string& problem) const {
        throw InputError(fmt::format("'{}' line {}: {}", path_.string(), lines_.number(), problem));
    }

    /// The words of the next line that holds data. A '#' line on the way that names columns is
    /// kept; any other is a remark.
    std::vector<std::string_view> next_words(std::string_view wanted) {
        while (const auto line = lines_.next()) {
            std::string_view text = trim(*line);
            if (text.starts_with('#')) {
                auto names = split_words(text.substr(1));
                const bool columns =
                    names.size() > 1 && (names[0] == "x" || names[0] == "s" || names[0] == "g");
                if (columns) names_ = std::move(names);
                continue;
            }
            text = text.substr(0, text.find('#'));
            if (!trim(text).empty()) return split_words(text);
        }
        fail(fmt::format("the file ends here (it is truncated; {} expected)", wanted));
    }

    std::size_t read_count(std::string_view what) {
        const auto words = next_words(what);
        const auto count = parse_integer(words[0]);
        // A row needs at least two bytes, so a larger count is a damaged one.
        if (words.size() != 1 || !count || *count < 1 ||
            static_cast<std::size_t>(*count) > content_.size() / 2) {
            fail(
                fmt::format("the number of {} is {} (must be a positive whole number that fits "
                            "the file)",
                            what, in_quotes(words[0])));
        }
        return static_cast<std::size_t>(*count);
    }

    double number(const std::vector<std::string_view>& words, std::size_t column,
                  std::string_view what) const {
        if (column >= words.size()) fail(fmt::format("{} is missing", what));
        const auto value = parse_number(words[column]);
        if (!value || !std::isfinite(*value)) {
            fail(fmt::format("{} is {} (must be a finite number)", what, in_quotes(words[column])));
        }
        return *value;
    }

    std::optional<std::size_t> named(std::string_view name) const {
        for (std::size_t i = 0; i < names_.size(); ++i) {
            if (names_[i] == name) return i;
        }
        return std::nullopt;
    }

    void read_points() {
        const std::size_t count = read_count("points");
        names_.clear();
        for (std::size_t i = 0; i < count; ++i) {
            const auto words = next_words(fmt::format("{} points", count));
            if (i == 0) choose_coordinates(words.size());
            points_.push_back({number(words, x_, "x"), y_ ? number(words, *y_, "y") : 0.0,
                               height_ ? 0.0 - number(words, *height_, "the height") : 0.0});
        }
    }

    /// Without a '#' line: one column is x, two are x and height, three are x, y and height.
    void choose_coordinates(std::size_t columns) {
        const bool has_names = named("x").has_value();
        x_ = has_names ? *named("x") : 0;
        if (has_names) {
            y_ = named("z") ? named("y") : std::nullopt;
            height_ = named("z") ? named("z") : named("y");
        } else {
            y_ = columns > 2 ? std::optional<std::size_t>(1) : std::nullopt;
            if (columns > 1) height_ = columns > 2 ? 2 : 1;
        }
    }

    std::size_t read_index(const std::vector<std::string_view>& words, std::size_t column,
                           std::string_view what) const {
        if (column >= words.size()) fail(fmt::format("{} index is missing", what));
        const auto index = parse_integer(words[column]);
        if (!index || *index < 1 || static_cast<std::size_t>(*index) > points_.size()) {
            fail(fmt::format("{} index is {} (must be a whole number from 1 to {})", what,
                             in_quotes(words[column]), points_.size()));
        }
        return static_cast<std::size_t>(*index) - 1;
    }

    Picks read_picks() {
        const std::size_t count = read_count("measurements");
        names_.clear();
        PositionIndex sources;
        PositionIndex receivers;
        Picks picks;
        picks.is_2d = !y_;
        std::size_t s = 0;
        std::size_t g = 1;
        std::size_t t = 2;
        std::optional<std::size_t> error;
        for (std::size_t i = 0; i < count; ++i) {
            const auto words = next_words(fmt::format("{} measurements", count));
            if (i == 0 && !names_.empty()) {
                if (!named("s") || !named("g") || !named("t")) {
                    fail("the columns of the measurements lack s, g or t (as in '#s g t')");
                }
                s = *named("s");
                g = *named("g");
                t = *named("t");
                error = named("err") ? named("err") : named("error");
            }
            const Pick pick{sources.add(points_[read_index(words, s, "shot")]),
                            receivers.add(points_[read_index(words, g, "geophone")]),
                            number(words, t, "time"), error ? number(words, *error, "error") : 0.0};
            if (pick.time < 0 || pick.error < 0) {
                fail(fmt::format("{} is {} (must not be negative)",
                                 pick.time < 0 ? "time" : "error",
                                 pick.time < 0 ? pick.time : pick.error));
            }
            picks.picks.push_back(pick);
        }
        picks.has_errors = error.has_value();
        picks.sources = sources.take();
        picks.receivers = receivers.take();
        return picks;
    }

    std::filesystem::path path_;
    std::string content_;
    LineReader lines_;
    std::vector<std::string_view> names_;
    std::vector<Vec3> points_;
    std::size_t x_ = 0;
    std::optional<std::size_t> y_;
    std::optional<std::size_t> height_;
};

}  // namespace

SgtSurvey read_sgt(const std::filesystem::path& path) { return SgtReader(path).read(); }

}  // namespace fermat
