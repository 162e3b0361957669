#include "io/raw_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "io/input_file.hpp"
#include "io/model_formats.hpp"
#include "io/number_lines.hpp"
#include "io/numbers.hpp"
#include "io/text.hpp"

namespace fermat {
namespace {

namespace fs = std::filesystem;

struct NumberType {
    std::string_view name;
    std::size_t size;
};
constexpr std::array<NumberType, 6> types = {
    {{"float32", 4}, {"float64", 8}, {"int16", 2}, {"int32", 4}, {"uint8", 1}, {"uint16", 2}}};

std::size_t size_of(std::string_view name) {
    std::string list;
    for (const NumberType& type : types) {
        if (type.name == name) return type.size;
        list += (list.empty() ? "" : ", ") + std::string(type.name);
    }
    throw InputError(
        fmt::format("the type of numbers is {} (must be one of {})", in_quotes(name), list));
}

/// The number of a value's bytes.
double number_of(std::span<const std::byte> bytes, std::string_view type, bool big_endian) {
    std::array<std::byte, 8> own{};
    std::copy(bytes.begin(), bytes.end(), own.begin());
    if (big_endian != big_endian_machine)
        std::reverse(own.begin(), own.begin() + std::ssize(bytes));
    const auto as = [&](auto zero) {
        std::memcpy(&zero, own.data(), sizeof zero);
        return static_cast<double>(zero);
    };
    if (type == "float32") return as(float{});
    if (type == "float64") return as(double{});
    if (type == "int16") return as(std::int16_t{});
    if (type == "int32") return as(std::int32_t{});
    if (type == "uint8") return as(std::uint8_t{});
    return as(std::uint16_t{});
}

/// The axes of an order from the slowest to the fastest, all three of them.
std::array<int, 3> axes_of(const std::string& order, bool is_2d) {
    const std::string text = order.empty() ? (is_2d ? "xz" : "xyz") : order;
    std::string sorted = text;
    std::sort(sorted.begin(), sorted.end());
    if (sorted != (is_2d ? "xz" : "xyz") && sorted != "xyz") {
        throw InputError(
            fmt::format("the order of axes is {} (must be {} in some order, the slowest first)",
                        in_quotes(order), is_2d ? "x and z" : "x, y and z"));
    }
    std::array<int, 3> axes = {1, 0, 0};
    std::size_t next = sorted.size() == 2 ? 1 : 0;
    for (const char axis : text) axes[next++] = axis - 'x';
    return axes;
}

/// Puts values in the order of the file where they belong.
class Placer {
  public:
    Placer(Shape shape, const RawLayout& layout)
        : field_(shape), axes_(axes_of(layout.order, shape.y == 1)), upward_(layout.upward) {}

    void add(double value) {
        Index3 at = at_;
        const Shape shape = field_.shape();
        if (upward_) at.z = shape.z - 1 - at.z;
        if (!std::isfinite(value) || value > std::numeric_limits<float>::max()) {
            throw InputError(
                fmt::format("value {} is {} (must be a finite velocity)", count_ + 1, value));
        }
        field_(at) = static_cast<float>(value);
        ++count_;
        const std::array<int, 3> extent = {shape.x, shape.y, shape.z};
        for (std::size_t i = 3; i-- > 0;) {
            const int axis = axes_[i];
            if (++at_[axis] < extent[static_cast<std::size_t>(axis)]) return;
            at_[axis] = 0;
        }
    }
    Field<float> take() { return std::move(field_); }

  private:
    Field<float> field_;
    std::array<int, 3> axes_;
    bool upward_;
    Index3 at_{};
    std::size_t count_ = 0;
};

/// "(100x1x50)" at the end of a title.
std::optional<Shape> shape_in(std::string_view title) {
    const std::size_t open = title.rfind('(');
    const std::size_t close = title.rfind(')');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
        return std::nullopt;
    }
    std::string inside(title.substr(open + 1, close - open - 1));
    std::replace(inside.begin(), inside.end(), 'x', ' ');
    const auto words = split_words(inside);
    if (words.size() != 3) return std::nullopt;
    Shape shape;
    for (int i = 0; i < 3; ++i) {
        const auto extent = parse_integer(words[static_cast<std::size_t>(i)]);
        if (!extent || *extent < 1 || *extent > (1 << 24)) return std::nullopt;
        (i == 0 ? shape.x : i == 1 ? shape.y : shape.z) = static_cast<int>(*extent);
    }
    return shape;
}

double count_of(Shape shape) {
    return static_cast<double>(shape.x) * static_cast<double>(shape.y) *
           static_cast<double>(shape.z);
}

}  // namespace

Field<float> read_raw(const fs::path& path, const RawLayout& layout) {
    const std::size_t size = size_of(layout.type);
    const InputFile file(path);
    const Shape shape = *layout.shape;
    const double bytes = count_of(shape) * static_cast<double>(size);
    if (bytes != static_cast<double>(file.size())) {
        throw InputError(
            fmt::format("has {} bytes ({} of {} needs {:.0f}; check the type, and the shape, in "
                        "which y is left out in 2-D)",
                        file.size(), to_string(shape), layout.type, bytes));
    }
    Placer placer(shape, layout);
    std::vector<std::byte> buffer;
    constexpr std::uint64_t piece = 1 << 22;
    for (std::uint64_t at = 0; at < file.size(); at += piece) {
        buffer.resize(std::min(piece, file.size() - at));
        file.read(at, buffer);
        for (std::size_t i = 0; i + size <= buffer.size(); i += size) {
            placer.add(
                number_of(std::span(buffer).subspan(i, size), layout.type, layout.big_endian));
        }
    }
    return placer.take();
}

Field<float> read_gslib(const TextFile& file, const RawLayout& layout, Notes& notes) {
    const std::string& content = file.text();
    const std::string title(LineReader(content).next().value_or(""));
    const auto shape = layout.shape ? layout.shape : shape_in(title);
    if (!shape) {
        throw InputError(fmt::format("{} does not tell its shape in {} (give `shape`)",
                                     file.quoted(), in_quotes(title)));
    }
    if (count_of(*shape) > static_cast<double>(content.size())) {
        throw InputError(
            fmt::format("{} is too short for the shape {}", file.quoted(), to_string(*shape)));
    }
    NumberLines lines(file);
    lines.need("the title");
    const std::size_t variables =
        lines.count(lines.need("the number of variables"), 0, "the number of variables");
    std::size_t column = 0;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < variables; ++i) {
        names.emplace_back(lines.need("the names of the variables")[0]);
        if (names.back() == "velocity" || names.back() == "v" || names.back() == "vp") column = i;
    }
    if (variables == 0) lines.fail("there are 0 variables (one is needed)");
    if (variables > 1) {
        notes.add(
            fmt::format("{}: variable {} is taken for the velocity, and {} others are not "
                        "used",
                        lines.quoted(), in_quotes(names[column]), variables - 1));
    }
    RawLayout text = layout;
    if (text.order.empty()) text.order = "zyx";
    text.upward = !layout.upward;
    Placer placer(*shape, text);
    const auto count = static_cast<std::size_t>(count_of(*shape));
    for (std::size_t i = 0; i < count; ++i) {
        const auto words = lines.need(fmt::format("{} values", count));
        placer.add(lines.finite(words, column, "the velocity"));
    }
    if (!lines.next().empty()) {
        lines.fail(fmt::format("there are more values than the {} of the shape {}", count,
                               to_string(*shape)));
    }
    return placer.take();
}

const ModelFormat gslib_model{
    ".eas",
    ToldOfModel::grid,
    true,
    nullptr,
    [](const TextFile& file, const ModelFileOptions& options, Notes& notes) {
        return of_values(file, read_gslib(file, options.raw, notes), options);
    },
    nullptr,
    "",
    false};

}  // namespace fermat
