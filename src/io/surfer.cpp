#include "io/surfer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "io/atomic_file.hpp"
#include "io/input_file.hpp"
#include "io/model_formats.hpp"
#include "io/numbers.hpp"
#include "io/text.hpp"

namespace fermat {
namespace {

namespace fs = std::filesystem;

constexpr double blank = 1.70141e38;

[[noreturn]] void fail(const std::string& problem) { throw InputError(problem); }

/// GridWords of a text, of which the next is taken as a number.
class GridWords {
  public:
    explicit GridWords(std::string_view text) : rest_(text) {}
    double number(std::string_view what) {
        constexpr std::string_view blanks = " \t\r\n";
        const std::size_t first = std::min(rest_.find_first_not_of(blanks), rest_.size());
        rest_.remove_prefix(first);
        const std::size_t end = std::min(rest_.find_first_of(blanks), rest_.size());
        const auto value = parse_number(rest_.substr(0, end));
        if (end == 0) fail(fmt::format("ends before {} (it is truncated)", what));
        if (!value || !std::isfinite(*value)) {
            fail(fmt::format("has {} for {} (must be a number)", in_quotes(rest_.substr(0, end)),
                             what));
        }
        rest_.remove_prefix(end);
        return *value;
    }

  private:
    std::string_view rest_;
};

/// Numbers of a binary file, one after the other.
class GridBytes {
  public:
    explicit GridBytes(std::string_view bytes) : rest_(bytes) {}

    template <class Number>
    Number take(std::string_view what) {
        static_assert(std::endian::native == std::endian::little);
        Number value{};
        if (rest_.size() < sizeof value)
            fail(fmt::format("ends before {} (it is truncated)", what));
        std::memcpy(&value, rest_.data(), sizeof value);
        rest_.remove_prefix(sizeof value);
        return value;
    }
    std::string_view take_bytes(std::size_t count, std::string_view what) {
        if (rest_.size() < count) fail(fmt::format("ends before {} (it is truncated)", what));
        const std::string_view bytes = rest_.substr(0, count);
        rest_.remove_prefix(count);
        return bytes;
    }
    std::size_t left() const { return rest_.size(); }

  private:
    std::string_view rest_;
};

void set_counts(SurferGrid& grid, double columns, double rows, std::size_t at_most) {
    const bool good = columns >= 2 && rows >= 2 && columns == std::floor(columns) &&
                      rows == std::floor(rows) && columns * rows <= static_cast<double>(at_most);
    if (!good) {
        fail(
            fmt::format("has {} columns and {} rows (both must be whole and > 1, and their values "
                        "must fit the file)",
                        columns, rows));
    }
    grid.columns = static_cast<int>(columns);
    grid.rows = static_cast<int>(rows);
}

void set_limits(SurferGrid& grid, double x0, double x1, double y0, double y1) {
    grid.x = x0;
    grid.y = y0;
    grid.dx = (x1 - x0) / (grid.columns - 1);
    grid.dy = (y1 - y0) / (grid.rows - 1);
}

SurferGrid read_text(std::string_view content) {
    GridWords words(content.substr(4));
    SurferGrid grid;
    const double columns = words.number("the number of columns");
    set_counts(grid, columns, words.number("the number of rows"), content.size());
    const double x0 = words.number("the lowest x");
    const double x1 = words.number("the highest x");
    const double y0 = words.number("the lowest y");
    set_limits(grid, x0, x1, y0, words.number("the highest y"));
    words.number("the lowest value");
    words.number("the highest value");
    const std::size_t count =
        static_cast<std::size_t>(grid.columns) * static_cast<std::size_t>(grid.rows);
    for (std::size_t i = 0; i < count; ++i) grid.values.push_back(words.number("all values"));
    return grid;
}

SurferGrid read_six(std::string_view content) {
    GridBytes bytes(content.substr(4));
    SurferGrid grid;
    const double columns = bytes.take<std::int16_t>("the number of columns");
    set_counts(grid, columns, bytes.take<std::int16_t>("the number of rows"), content.size() / 4);
    const double x0 = bytes.take<double>("the lowest x");
    const double x1 = bytes.take<double>("the highest x");
    const double y0 = bytes.take<double>("the lowest y");
    set_limits(grid, x0, x1, y0, bytes.take<double>("the highest y"));
    bytes.take_bytes(16, "the range of values");
    const std::size_t count =
        static_cast<std::size_t>(grid.columns) * static_cast<std::size_t>(grid.rows);
    for (std::size_t i = 0; i < count; ++i) {
        grid.values.push_back(bytes.take<float>("all values"));
    }
    return grid;
}

/// Sections of a tag, a size and their bytes: 'DSRB' with the version, 'GRID', then 'DATA'.
SurferGrid read_seven(std::string_view content) {
    GridBytes bytes(content);
    SurferGrid grid;
    bool has_grid = false;
    while (bytes.left() >= 8) {
        const std::string tag(bytes.take_bytes(4, "a section"));
        const std::int32_t size = bytes.take<std::int32_t>("the size of a section");
        if (size < 0) fail(fmt::format("has a section of {} bytes (it is damaged)", size));
        GridBytes section(bytes.take_bytes(static_cast<std::size_t>(size), "the end of a section"));
        if (tag == "GRID") {
            const double rows = section.take<std::int32_t>("the number of rows");
            set_counts(grid, section.take<std::int32_t>("the number of columns"), rows,
                       content.size() / 8);
            grid.x = section.take<double>("the lowest x");
            grid.y = section.take<double>("the lowest y");
            grid.dx = section.take<double>("the step along x");
            grid.dy = section.take<double>("the step along y");
            section.take_bytes(24, "the range of values and the rotation");
            grid.blank_from = std::min(section.take<double>("the blanking value"), blank);
            has_grid = true;
        } else if (tag == "DATA" && has_grid) {
            const std::size_t count =
                static_cast<std::size_t>(grid.columns) * static_cast<std::size_t>(grid.rows);
            for (std::size_t i = 0; i < count; ++i) {
                grid.values.push_back(section.take<double>("all values"));
            }
            return grid;
        }
    }
    fail("has no sections 'GRID' and 'DATA' (it is truncated)");
}

}  // namespace

bool is_surfer_grid(const TextFile& file) {
    const std::string head = file.head(4);
    return head == "DSAA" || head == "DSBB" || head == "DSRB";
}

SurferGrid read_surfer_grid(const std::string& content) {
    if (content.starts_with("DSAA")) return read_text(content);
    if (content.starts_with("DSBB")) return read_six(content);
    if (content.starts_with("DSRB")) return read_seven(content);
    fail("is not a grid of Surfer (it must start with DSAA, DSBB or DSRB)");
}

Model read_surfer(const TextFile& file, bool depths, Placement placement, Notes& notes) {
    const SurferGrid surfer = read_surfer_grid(file.text());
    const double last = surfer.y + (surfer.rows - 1) * surfer.dy;
    Grid grid;
    grid.shape = {surfer.columns, 1, surfer.rows};
    grid.origin = {surfer.x, 0, depths ? surfer.y : 0.0 - last};
    grid.spacing = {surfer.dx, 1, surfer.dy};
    validate(grid);
    Field<float> velocity(grid.shape);
    std::size_t blanked = 0;
    for (int row = 0; row < surfer.rows; ++row) {
        for (int column = 0; column < surfer.columns; ++column) {
            const double value = surfer.at(column, row);
            const bool air = surfer.is_blank(value);
            blanked += air;
            const int z = depths ? row : surfer.rows - 1 - row;
            velocity({column, 0, z}) = air ? 0.0F : static_cast<float>(value);
        }
    }
    if (blanked > 0) {
        notes.add(fmt::format("{}: {} of {} nodes are blanked and became air", file.quoted(),
                              blanked, velocity.size()));
    }
    if (placement == Placement::cells) {
        grid.shape = node_shape(grid.shape, true, placement);
        grid.origin = grid.origin_before_middles();
        grid.origin.y = 0;
    }
    return make_model(grid, std::move(velocity), placement);
}

void write_surfer(const fs::path& path, const Model& model) {
    if (!model.grid().is_2d()) {
        throw InputError(fmt::format(
            "cannot write '{}' (a grid of Surfer is 2-D, and the model is 3-D)", path.string()));
    }
    const Grid grid = sample_points(model.grid(), placement_of(model));
    const FieldView<const float> values = model.given();
    float low = std::numeric_limits<float>::max();
    float high = 0;
    for (std::size_t i = 0; i < model.given().size(); ++i) {
        const float value = values[i];
        if (value > 0) low = std::min(low, value);
        high = std::max(high, value);
    }
    OutputFile file(path);
    const int last_x = grid.shape.x - 1;
    const int last_z = grid.shape.z - 1;
    std::string text =
        fmt::format("DSAA\n{} {}\n{} {}\n{} {}\n{} {}\n", grid.shape.x, grid.shape.z,
                    grid.coordinate(0, 0), grid.coordinate(0, last_x),
                    0.0 - grid.coordinate(2, last_z), 0.0 - grid.coordinate(2, 0), low, high);
    for (int z = grid.shape.z - 1; z >= 0; --z) {
        for (int x = 0; x < grid.shape.x; ++x) {
            const float value = values({x, 0, z});
            if (value > 0) {
                fmt::format_to(std::back_inserter(text), "{}{}", x == 0 ? "" : " ", value);
            } else {
                fmt::format_to(std::back_inserter(text), "{}1.70141e+38", x == 0 ? "" : " ");
            }
        }
        text += '\n';
        file.write(text);
        text.clear();
    }
    file.commit();
}

const ModelFormat surfer_model{
    ".grd",
    ToldOfModel::placement,
    true,
    nullptr,
    [](const TextFile& file, const ModelFileOptions& options, Notes& notes) {
        const Placement placement = options.placement.value_or(Placement::nodes);
        return named_by_file(file,
                             [&] { return read_surfer(file, options.depths, placement, notes); });
    },
    [](const fs::path& path, const Model& model, const std::string&) { write_surfer(path, model); },
    "",
    false};

}  // namespace fermat
