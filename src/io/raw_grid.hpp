#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/field.hpp"
#include "core/notes.hpp"
#include "io/text_file.hpp"

namespace fermat {

/// What a file of bare numbers needs to be told.
struct RawLayout {
    std::optional<Shape> shape{};  ///< values along x, y and z; y = 1 in 2-D
    std::string type = "float32";  ///< float32, float64, int16, int32, uint8 or uint16
    bool big_endian = false;
    /// The axes from the slowest to the fastest: "xyz" (z fastest, the default), "zyx", "xz", "zx".
    std::string order{};
    bool upward = false;  ///< the first value along z is the lowest in the ground

    bool given() const { return shape.has_value(); }
};

/// Reads raw numbers. The file must have exactly as many as the shape. Throws InputError.
Field<float> read_raw(const std::filesystem::path& path, const RawLayout& layout);

/// Reads the first variable of a text in GSLIB's format, or that named velocity, v or vp: a title,
/// the number of variables, their names, then one line per value, with x fastest and z upward. The
/// title may end with the shape, as SGeMS writes it: "grid (100x1x50)". Notes unused variables.
Field<float> read_gslib(const TextFile& file, const RawLayout& layout, Notes& notes);

}  // namespace fermat
