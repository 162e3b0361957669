#include "io/segy_write.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/error.hpp"
#include "io/atomic_file.hpp"
#include "model/placement.hpp"

namespace fermat {
namespace {

/// The bytes of a header, whose numbers stand where the standard has them, from 1; the highest byte
/// comes first.
class SegyHeader {
  public:
    explicit SegyHeader(std::size_t size) : bytes_(size, '\0') {}

    void put(std::size_t at, std::uint64_t bits, std::size_t size) {
        for (std::size_t n = 0; n < size; ++n) {
            bytes_[at - 1 + n] = static_cast<char>(bits >> 8 * (size - 1 - n) & 0xff);
        }
    }
    void whole2(std::size_t at, int value) { put(at, static_cast<std::uint16_t>(value), 2); }
    void whole4(std::size_t at, std::int64_t value) {
        put(at, static_cast<std::uint32_t>(static_cast<std::int32_t>(value)), 4);
    }
    const std::string& bytes() const { return bytes_; }

  private:
    std::string bytes_;
};

/// A letter in EBCDIC, of those that the text has.
char ebcdic(char c) {
    if (c >= 'A' && c <= 'I') return static_cast<char>(0xc1 + (c - 'A'));
    if (c >= 'J' && c <= 'R') return static_cast<char>(0xd1 + (c - 'J'));
    if (c >= 'S' && c <= 'Z') return static_cast<char>(0xe2 + (c - 'S'));
    if (c >= '0' && c <= '9') return static_cast<char>(0xf0 + (c - '0'));
    if (c == '-') return 0x60;
    if (c == '.') return 0x4b;
    if (c == ',') return 0x6b;
    return 0x40;
}

std::string text_header() {
    std::string text;
    for (int line = 1; line <= 40; ++line) {
        std::string card = fmt::format("C{:2} ", line);
        if (line == 1) card += "VELOCITY AGAINST DEPTH, WRITTEN BY FERMAT";
        if (line == 2) card += "THE SAMPLE INTERVAL IS A THOUSAND TIMES THE STEP OF DEPTH";
        if (line == 3) card += "BYTES 181-188 HAVE X AND Y, 189-196 INLINE AND CROSSLINE";
        if (line == 39) card += "SEG Y REV1";
        if (line == 40) card += "END TEXTUAL HEADER";
        card.resize(80, ' ');
        std::transform(card.begin(), card.end(), card.begin(), ebcdic);
        text += card;
    }
    return text;
}

/// The largest power of ten, up to 1000, by which the coordinates of a grid still fit.
int coordinate_scale(const Grid& points) {
    double most = 1;
    for (int axis = 0; axis < 2; ++axis) {
        const int last = (axis == 0 ? points.shape.x : points.shape.y) - 1;
        most = std::max(
            {most, std::abs(points.coordinate(axis, 0)), std::abs(points.coordinate(axis, last))});
    }
    for (const int scale : {1000, 100, 10, 1}) {
        if (most * scale < std::numeric_limits<std::int32_t>::max()) return scale;
    }
    throw InputError("has coordinates beyond 2147483647 (SEG-Y has none)");
}

void write_traces(OutputFile& file, const Model& model, const Grid& points) {
    const FieldView<const float> values = model.given();
    const Shape shape = points.shape;
    const int scale = coordinate_scale(points);
    std::int64_t number = 0;
    std::string samples;
    for (int x = 0; x < shape.x; ++x) {
        for (int y = 0; y < shape.y; ++y) {
            SegyHeader head(240);
            head.whole4(1, ++number);
            head.whole4(5, number);
            head.whole4(9, x + 1);
            head.whole4(13, y + 1);
            head.whole4(21, number);
            head.whole2(29, 1);
            head.whole2(71, -scale);
            const auto px = std::llround(points.coordinate(0, x) * scale);
            const auto py =
                model.grid().is_2d() ? 0 : std::llround(points.coordinate(1, y) * scale);
            for (const std::size_t at : {73U, 81U, 181U}) {
                head.whole4(at, px);
                head.whole4(at + 4, py);
            }
            head.whole2(109, static_cast<int>(std::lround(points.coordinate(2, 0))));
            head.whole2(115, shape.z);
            head.whole4(189, x + 1);
            head.whole4(193, y + 1);
            file.write(head.bytes());
            samples.clear();
            for (int z = 0; z < shape.z; ++z) {
                const auto bits = std::bit_cast<std::uint32_t>(values({x, y, z}));
                for (const int shift : {24, 16, 8, 0}) {
                    samples += static_cast<char>(bits >> shift & 0xff);
                }
            }
            file.write(samples);
        }
    }
}

}  // namespace

void write_segy_model(const std::filesystem::path& path, const Model& model, const std::string&) {
    const Grid points = sample_points(model.grid(), placement_of(model));
    const Shape shape = points.shape;
    const double top = points.coordinate(2, 0);
    if (shape.z > 32767 || std::abs(top) > 32767 || top != std::round(top)) {
        throw InputError(fmt::format(
            "cannot write '{}' (SEG-Y has up to 32767 samples and starts at a whole depth; the "
            "model has {} from {:g} on)",
            path.string(), shape.z, top));
    }
    const double thousandths = 1000 * points.spacing.z;
    const bool plain = thousandths >= 100 && thousandths <= 65535 &&
                       std::abs(thousandths - std::round(thousandths)) < 1e-6 * thousandths;
    SegyHeader head(400);
    // The standard counts the bytes of this header from 3201 on.
    const auto at = [](std::size_t byte) { return byte - 3200; };
    head.whole4(at(3205), 1);
    head.whole2(at(3213), 1);
    head.whole2(at(3217), plain ? static_cast<int>(std::lround(thousandths)) : 0);
    head.whole2(at(3221), shape.z);
    head.whole2(at(3225), 5);
    head.whole2(at(3227), 1);
    head.whole2(at(3255), 1);
    if (!plain) head.put(at(3273), std::bit_cast<std::uint64_t>(thousandths), 8);
    head.whole2(at(3501), plain ? 0x0100 : 0x0200);
    head.whole2(at(3503), 1);
    OutputFile file(path);
    file.write(text_header());
    file.write(head.bytes());
    try {
        write_traces(file, model, points);
    } catch (const InputError& error) {
        throw InputError(
            fmt::format("cannot write '{}': the model {}", path.string(), error.what()));
    }
    file.commit();
}

}  // namespace fermat
