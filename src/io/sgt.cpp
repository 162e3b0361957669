#include "io/sgt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "io/columns.hpp"
#include "io/format_table.hpp"
#include "io/suffix.hpp"

namespace fermat {
namespace {

class SgtReader : public FileLines {
  public:
    SgtReader(const TextFile& file, const PickReadOptions& options, Notes& notes)
        : FileLines(file), options_(options), notes_(notes) {}

    SgtSurvey read() {
        read_points();
        find_line();
        return read_picks();
    }

  private:
    /// The words of the next data line. A '#' line before it that names columns is kept; other '#'
    /// lines are comments.
    std::vector<std::string_view> next_words(std::string_view wanted) {
        while (const auto line = lines_.next()) {
            std::string_view text = trim(*line);
            if (text.starts_with('#')) {
                take_names(split_words(text.substr(1)));
                continue;
            }
            text = text.substr(0, text.find('#'));
            if (!trim(text).empty()) return split_words(text);
        }
        fail(fmt::format("the file ends here (it is truncated; {} expected)", wanted));
    }

    /// Keeps names of columns without their units, which follow a '/'.
    void take_names(std::vector<std::string_view> names) {
        std::vector<std::string> units(names.size());
        for (std::size_t i = 0; i < names.size(); ++i) {
            const std::size_t slash = names[i].find('/');
            if (slash == std::string_view::npos || slash == 0) continue;
            units[i] = names[i].substr(slash + 1);
            names[i] = names[i].substr(0, slash);
        }
        if (!names_columns(names)) return;
        names_ = std::move(names);
        units_ = std::move(units);
    }

    /// True for '#x y', '#s g t' or '#err g s t', but not for '# shots and geophones'.
    static bool names_columns(const std::vector<std::string_view>& names) {
        const auto has = [&](std::string_view name) {
            return std::find(names.begin(), names.end(), name) != names.end();
        };
        if (names.size() < 2) return false;
        return names[0] == "x" || names[0] == "s" || names[0] == "g" || (has("s") && has("g"));
    }

    std::size_t read_count(std::string_view what) {
        const auto words = next_words(what);
        const auto count = parse_integer(words[0]);
        // A row has at least two bytes, so a larger count means damage.
        if (words.size() != 1 || !count || *count < 1 ||
            static_cast<std::size_t>(*count) > file_.text().size() / 2) {
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

    /// Without a '#' line, one column is x, two are x and height, three are x, y and height.
    void choose_coordinates(std::size_t columns) {
        const bool has_names = named("x").has_value();
        x_ = has_names ? *named("x") : 0;
        if (has_names) {
            constexpr std::array<std::string_view, 3> known = {"x", "y", "z"};
            const std::vector<std::string> names(names_.begin(), names_.end());
            note_unused_columns(quoted(), names, known, "points have '#x y' or '#x y z'", notes_);
            y_ = named("z") ? named("y") : std::nullopt;
            height_ = named("z") ? named("z") : named("y");
            length_unit_ = units_[x_];
        } else {
            y_ = columns > 2 ? std::optional<std::size_t>(1) : std::nullopt;
            if (columns > 1) height_ = columns > 2 ? 2 : 1;
        }
    }

    /// Three coordinates whose last is 0 everywhere: on a line, where no two points share an x, and
    /// the second varies less than half as much as the first, the second is the height.
    void find_line() {
        if (!y_ || !height_ || options_.on_line) return;
        std::map<double, double> height_at;
        double low = points_.front().y;
        double high = low;
        for (const Vec3 p : points_) {
            if (p.z != 0) return;
            if (height_at.try_emplace(p.x, p.y).first->second != p.y) return;
            low = std::min(low, p.y);
            high = std::max(high, p.y);
        }
        const double length = height_at.rbegin()->first - height_at.begin()->first;
        if (low == high || high - low > 0.5 * length) return;
        for (Vec3& p : points_) p = {p.x, 0, 0.0 - p.y};
        notes_.add(fmt::format(
            "{}: z is 0 everywhere, so y is taken for the height of a 2-D line, as pyGIMLi writes "
            "it (`line` reads y as a coordinate)",
            quoted()));
        y_.reset();
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

    /// Indices of the columns of a row of picks.
    struct Columns {
        std::size_t shot = 0;
        std::size_t geophone = 1;
        std::size_t time = 2;
        std::optional<std::size_t> error;
        std::optional<std::size_t> valid;
    };

    Columns choose_columns() {
        if (names_.empty()) return {};
        if (!named("s") || !named("g") || !named("t")) {
            fail("the columns of the measurements lack s, g or t (as in '#s g t')");
        }
        constexpr std::array<std::string_view, 4> known = {"s", "g", "t", "valid"};
        const std::vector<std::string> names(names_.begin(), names_.end());
        return {*named("s"), *named("g"), *named("t"),
                find_error_column(quoted(), names, known, notes_), named("valid")};
    }

    /// An error that is not a number is missing, which differs from 0.
    double read_error(const std::vector<std::string_view>& words, std::size_t column) const {
        const auto value = column < words.size() ? parse_number(words[column]) : std::nullopt;
        return value && std::isnan(*value) ? missing_error : number(words, column, "error");
    }

    PickDialect dialect(const Columns& columns) {
        PickDialect dialect;
        dialect.has_errors = columns.error.has_value();
        dialect.has_y = y_.has_value();
        dialect.flat_if_on_axis = true;
        dialect.length = length_unit_;
        // Kept apart: a later line of names replaces units_.
        if (!units_.empty()) time_unit_ = units_[columns.time];
        dialect.time = time_unit_;
        return dialect;
    }

    /// The factor from errors to the unit of the times.
    double error_factor(const Columns& columns) const {
        if (!columns.error || units_.empty() || units_[*columns.error].empty()) return 1;
        if (units_[*columns.error] == units_[columns.time]) return 1;
        return unit_size(Quantity::time, units_[*columns.error]) /
               unit_size(Quantity::time, units_[columns.time]);
    }

    SgtSurvey read_picks() {
        const std::size_t count = read_count("measurements");
        names_.clear();
        units_.clear();
        std::vector<std::string_view> words = next_words(fmt::format("{} measurements", count));
        const Columns columns = choose_columns();
        const double factor = error_factor(columns);
        PickBuilder builder(file_.path(), options_, dialect(columns));
        for (const Vec3 p : points_) builder.add_point(p);
        std::size_t invalid = 0;
        for (std::size_t i = 0; i < count; ++i) {
            if (i > 0) words = next_words(fmt::format("{} measurements", count));
            if (columns.valid && number(words, *columns.valid, "valid") == 0) {
                ++invalid;
                continue;
            }
            builder.add({points_[read_index(words, columns.shot, "shot")],
                         points_[read_index(words, columns.geophone, "geophone")],
                         read_time(words, columns.time),
                         columns.error ? factor * read_error(words, *columns.error) : missing_error,
                         lines_.number()});
        }
        tell_invalid(invalid, count);
        return builder.finish(notes_);
    }

    void tell_invalid(std::size_t dropped, std::size_t count) const {
        if (dropped == 0) return;
        if (dropped == count) {
            fail(fmt::format("all {} measurements have valid = 0 (at least one must be valid)",
                             count));
        }
        notes_.add(fmt::format("{}: {} of {} measurements have valid = 0 and were left out",
                               quoted(), dropped, count));
    }

    /// A time that is not a number is refused, unless such picks are to be left out.
    double read_time(const std::vector<std::string_view>& words, std::size_t column) const {
        const auto value = column < words.size() ? parse_number(words[column]) : std::nullopt;
        if (options_.leave_out_bad && value) return *value;
        return number(words, column, "time");
    }

    const PickReadOptions& options_;
    Notes& notes_;
    std::vector<std::string_view> names_;
    std::vector<std::string> units_;  ///< of the columns that names_ has
    std::string length_unit_;
    std::string time_unit_;
    std::vector<Vec3> points_;
    std::size_t x_ = 0;
    std::optional<std::size_t> y_;
    std::optional<std::size_t> height_;
};

}  // namespace

SgtSurvey read_sgt(const TextFile& file, Notes& notes, const PickReadOptions& options) {
    return SgtReader(file, options, notes).read();
}

const PickReader sgt_picks{PickFormat::sgt,
                           [](const TextFile& file) {
                               const std::string suffix = input_suffix_of(file.path());
                               return suffix == ".sgt" || (suffix == ".gtt" && !file.is_binary());
                           },
                           nullptr,
                           [](const TextFile& file, const PickReadOptions& options, Notes& notes) {
                               return read_sgt(file, notes, options);
                           }};

}  // namespace fermat
