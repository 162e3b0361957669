#include "cli/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "core/error.hpp"
#include "io/text.hpp"

namespace fermat::cli {
namespace {

[[noreturn]] void refuse(std::string_view flag, std::string_view text, std::string_view right) {
    throw InputError(flag_message(flag, text, right));
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (;;) {
        const std::size_t end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

std::optional<int> whole_number(std::string_view text) {
    const auto value = parse_integer(text);
    if (!value || *value < std::numeric_limits<int>::min() ||
        *value > std::numeric_limits<int>::max()) {
        return std::nullopt;
    }
    return static_cast<int>(*value);
}

AxisNumbers parse_one_to_three(std::string_view flag, std::string_view text, bool infinite,
                               std::string_view right) {
    AxisNumbers axes{std::string(flag), std::string(text), {}};
    for (const std::string_view part : split(text, ',')) {
        const auto value = parse_number(part);
        if (!value || std::isnan(*value) || (!infinite && std::isinf(*value))) {
            refuse(flag, text, right);
        }
        axes.numbers.push_back(*value);
    }
    if (axes.numbers.size() > 3) refuse(flag, text, right);
    return axes;
}

}  // namespace

std::string flag_message(std::string_view flag, std::string_view text, std::string_view right) {
    return fmt::format("{} is {} ({})", flag, in_quotes(text), right);
}

double parse_real(std::string_view flag, std::string_view text) {
    const auto value = parse_number(text);
    if (!value || !std::isfinite(*value)) refuse(flag, text, "must be a finite number");
    return *value;
}

int parse_whole(std::string_view flag, std::string_view text, int low, int high) {
    const auto value = whole_number(text);
    if (!value || *value < low || *value > high) {
        constexpr int most = std::numeric_limits<int>::max();
        refuse(flag, text,
               low == -most && high == most
                   ? "must be a whole number of at most nine digits"
                   : fmt::format("must be a whole number from {} to {}", low, high));
    }
    return *value;
}

std::uint64_t parse_seed(std::string_view flag, std::string_view text) {
    std::uint64_t seed = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
    if (error != std::errc() || end != text.data() + text.size()) {
        refuse(flag, text, "must be a whole number of at least 0");
    }
    return seed;
}

std::filesystem::path parse_path(std::string_view flag, std::string_view text) {
    if (text.empty()) refuse(flag, text, "must be the name of a file");
    return std::filesystem::path(text);
}

std::filesystem::path parse_text_output(std::string_view flag, std::string_view text) {
    return text == "-" ? std::filesystem::path("/dev/stdout") : parse_path(flag, text);
}

Shape parse_shape(std::string_view flag, std::string_view text) {
    constexpr std::string_view right =
        "must be nodes along x,y,z such as 129,129,129, or x,z in 2-D such as 501,501";
    std::vector<int> nodes;
    for (const std::string_view part : split(text, ',')) {
        const auto count = whole_number(part);
        if (!count || *count < 1) refuse(flag, text, right);
        nodes.push_back(*count);
    }
    if (nodes.size() == 2) return {nodes[0], 1, nodes[1]};
    if (nodes.size() == 3) return {nodes[0], nodes[1], nodes[2]};
    refuse(flag, text, right);
}

DepthVelocity parse_layer(std::string_view flag, std::string_view text) {
    const auto parts = split(text, ':');
    const auto depth = parse_number(parts.front());
    const auto velocity = parse_number(parts.back());
    if (parts.size() != 2 || !depth || !velocity || !std::isfinite(*depth) ||
        !std::isfinite(*velocity)) {
        refuse(flag, text, "must be depth:velocity such as 250:5");
    }
    return {*depth, *velocity};
}

AxisNumbers parse_axes(std::string_view flag, std::string_view text) {
    return parse_one_to_three(flag, text, false,
                              "must be finite numbers with commas between them: x,y,z, or x,z in "
                              "2-D");
}

AxisNumbers parse_lengths(std::string_view flag, std::string_view text) {
    return parse_one_to_three(flag, text, true,
                              "must be lengths with commas between them, 'inf' for none: x,y,z, or "
                              "x,z in 2-D");
}

Vec3 to_axes(const AxisNumbers& axes, bool is_2d, double flat_y) {
    const auto& n = axes.numbers;
    if (n.size() == 1) return {n[0], is_2d ? flat_y : n[0], n[0]};
    if (n.size() == 2 && is_2d) return {n[0], flat_y, n[1]};
    if (n.size() == 3 && !is_2d) return {n[0], n[1], n[2]};
    refuse(axes.flag, axes.text,
           is_2d ? "the model is 2-D: must be one number, or two for x,z"
                 : "the model is 3-D: must be one number, or three for x,y,z");
}

Index3 to_whole(const AxisNumbers& axes, Vec3 values) {
    Index3 whole;
    for (int axis = 0; axis < 3; ++axis) {
        if (values[axis] != std::floor(values[axis]) || std::abs(values[axis]) > 1e6) {
            refuse(axes.flag, axes.text, "must be whole numbers of nodes");
        }
        whole[axis] = static_cast<int>(values[axis]);
    }
    return whole;
}

std::string flag_of(std::string_view name) {
    std::string flag = fmt::format("--{}", name);
    std::replace(flag.begin(), flag.end(), '_', '-');
    return flag;
}

Vec3 to_point(const AxisNumbers& axes, const Grid& grid) {
    const auto& n = axes.numbers;
    if (n.size() == 2 && grid.is_2d()) return {n[0], grid.origin.y, n[1]};
    if (n.size() == 3 && !grid.is_2d()) return {n[0], n[1], n[2]};
    refuse(axes.flag, axes.text,
           grid.is_2d() ? "the model is 2-D: a point is two numbers, x,z"
                        : "the model is 3-D: a point is three numbers, x,y,z");
}

Shape to_block(const AxisNumbers& axes, bool is_2d) {
    const Vec3 nodes = to_axes(axes, is_2d, 1);
    for (int axis = 0; axis < 3; ++axis) {
        if (nodes[axis] != std::floor(nodes[axis]) || nodes[axis] < 1 || nodes[axis] > 1e9) {
            refuse(axes.flag, axes.text, "must be whole numbers of nodes, at least 1");
        }
    }
    return {static_cast<int>(nodes.x), static_cast<int>(nodes.y), static_cast<int>(nodes.z)};
}

}  // namespace fermat::cli
