#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/choice.hpp"
#include "core/grid.hpp"
#include "model/layer.hpp"

namespace fermat::cli {

// Parsers of command-line texts. Each throws InputError that names the flag, the text and what
// would be right.

/// The message about a flag: "--shape is '12,x' (must be ...)".
std::string flag_message(std::string_view flag, std::string_view text, std::string_view right);

/// The flag of an option: "--target-rms" for "target_rms".
std::string flag_of(std::string_view name);

/// Parses a finite number.
double parse_real(std::string_view flag, std::string_view text);
int parse_whole(std::string_view flag, std::string_view text, int low, int high);
std::uint64_t parse_seed(std::string_view flag, std::string_view text);
std::filesystem::path parse_path(std::string_view flag, std::string_view text);
/// Any text is right.
inline std::string parse_text(std::string_view /*flag*/, std::string_view text) {
    return std::string(text);
}
/// Parses the path of a text file to write; `-` means /dev/stdout.
std::filesystem::path parse_text_output(std::string_view flag, std::string_view text);

/// Parses "129,129,129", or "501,501" for (x, z) in 2-D, in nodes.
Shape parse_shape(std::string_view flag, std::string_view text);

/// Parses "depth:velocity".
DepthVelocity parse_layer(std::string_view flag, std::string_view text);

/// One to three numbers with commas between them. Their axes depend on whether the model is 2-D.
struct AxisNumbers {
    std::string flag;
    std::string text;
    std::vector<double> numbers;

    bool given() const { return !numbers.empty(); }
};
AxisNumbers parse_axes(std::string_view flag, std::string_view text);
/// Parses one to three lengths, which may be 'inf'.
AxisNumbers parse_lengths(std::string_view flag, std::string_view text);

/// One number for every axis, or one per axis: (x, z) in 2-D, where y becomes `flat_y`.
Vec3 to_axes(const AxisNumbers& axes, bool is_2d, double flat_y);

/// Numbers per axis as integers. Throws InputError where one is not whole.
Index3 to_whole(const AxisNumbers& axes, Vec3 values);

/// A point of the model: (x, y, z), or (x, z) in 2-D, where y is that of the grid.
Vec3 to_point(const AxisNumbers& axes, const Grid& grid);

/// Number of nodes along each axis; one number for all.
Shape to_block(const AxisNumbers& axes, bool is_2d);

template <class Enum>
Enum parse_named(std::string_view flag, std::string_view text) {
    for (const auto& [name, value] : choices<Enum>.entries) {
        if (name == text) return value;
    }
    throw InputError(flag_message(flag, text, "must be one of " + names_of<Enum>()));
}

}  // namespace fermat::cli
