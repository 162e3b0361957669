#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <span>
#include <string>

#include "io/input_file.hpp"
#include "io/model_formats.hpp"
#include "io/numbers.hpp"

namespace fermat {
namespace {

namespace fs = std::filesystem;

/// Ends the header of a file that has its numbers behind it.
constexpr std::string_view header_end = "\x0c\x0c\x04";

/// The pairs key=value of a header; of those with one key the last one holds.
class RsfHeader {
  public:
    explicit RsfHeader(std::string_view text) {
        while (!text.empty()) {
            constexpr std::string_view blanks = " \t\r\n\x0c";
            const std::size_t first = text.find_first_not_of(blanks);
            if (first == std::string_view::npos) return;
            text.remove_prefix(first);
            const std::size_t end = std::min(text.find_first_of(blanks), text.size());
            const std::size_t equals = text.find('=');
            if (equals >= end) {  // a program's name, or a word of a comment
                text.remove_prefix(end);
                continue;
            }
            const std::string key(text.substr(0, equals));
            text.remove_prefix(equals + 1);
            std::size_t stop = std::min(text.find_first_of(blanks), text.size());
            const bool quoted = text.starts_with('"') || text.starts_with('\'');
            if (quoted) stop = std::min(text.find(text.front(), 1), text.size());
            values_[key] = text.substr(quoted ? 1 : 0, stop - (quoted ? 1 : 0));
            text.remove_prefix(std::min(stop + (quoted ? 1 : 0), text.size()));
        }
    }
    std::string text(const std::string& key, std::string_view usual) const {
        const auto found = values_.find(key);
        return std::string(found == values_.end() ? usual : found->second);
    }
    double number(const std::string& key, double usual) const {
        const auto found = values_.find(key);
        if (found == values_.end()) return usual;
        const auto value = parse_number(found->second);
        if (value && std::isfinite(*value)) return *value;
        throw InputError(fmt::format("{} is {} (must be a number)", key, in_quotes(found->second)));
    }
    int count(const std::string& key) const {
        const double value = number(key, 1);
        if (value >= 1 && value == std::floor(value) && value <= (1 << 24)) {
            return static_cast<int>(value);
        }
        throw InputError(fmt::format("{} is {:g} (must be a whole number > 0)", key, value));
    }

  private:
    std::map<std::string, std::string> values_;
};

/// Which of x, y, z an axis of the file is: by its label, or z, x, y in this order.
std::array<int, 3> axes_of(const RsfHeader& header) {
    std::array<int, 3> out = {-1, -1, -1};
    std::array<bool, 3> taken{};
    const auto take = [&](std::size_t axis, int which) {
        if (out[axis] >= 0 || taken[static_cast<std::size_t>(which)]) return;
        out[axis] = which;
        taken[static_cast<std::size_t>(which)] = true;
    };
    for (std::size_t axis = 0; axis < 3; ++axis) {
        std::string label = header.text(fmt::format("label{}", axis + 1), "");
        std::transform(label.begin(), label.end(), label.begin(), [](char c) {
            return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        });
        if (label.starts_with("depth") || label.starts_with('z')) take(axis, 2);
        if (label.starts_with('x') || label.starts_with("lateral") ||
            label.starts_with("distance") || label.starts_with("inline")) {
            take(axis, 0);
        }
        if (label.starts_with('y') || label.starts_with("crossline")) take(axis, 1);
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
        for (const int which : {2, 0, 1}) take(axis, which);
    }
    return out;
}

/// The bytes that `in` names: behind the header, at a path, or of that name beside the header.
std::string numbers_of(const TextFile& file, const std::string& in, std::size_t header) {
    if (in == "stdin") {
        if (header == std::string::npos) {
            throw InputError(
                "has its numbers behind the header, and no end of it (it is "
                "truncated)");
        }
        return file.text().substr(header + header_end.size());
    }
    fs::path data = in;
    if (data.is_relative()) data = file.path().parent_path() / data;
    std::error_code ignored;
    if (!fs::exists(data, ignored)) data = file.path().parent_path() / fs::path(in).filename();
    return read_whole_file(data);
}

std::vector<float> values_of(const std::string& bytes, const std::string& format, double count) {
    const bool ascii = format.starts_with("ascii");
    const std::size_t size = format.ends_with("double") ? 8 : 4;
    const bool big = format.starts_with("xdr");
    if (!format.ends_with("_float") && !format.ends_with("_double")) {
        throw InputError(
            fmt::format("data_format is {} (must be native_float, xdr_float, "
                        "ascii_float or one of double)",
                        in_quotes(format)));
    }
    std::vector<float> values;
    if (ascii) {
        LineReader lines(bytes);
        while (const auto line = lines.next()) {
            for (const std::string_view word : split_words(*line)) {
                const auto value = parse_number(word);
                if (!value) {
                    throw InputError(
                        fmt::format("a value is {} (must be a number)", in_quotes(word)));
                }
                values.push_back(static_cast<float>(*value));
            }
        }
    } else {
        const auto all = std::as_bytes(std::span(bytes));
        if (static_cast<double>(bytes.size()) != count * static_cast<double>(size)) {
            throw InputError(fmt::format("has {} bytes of numbers ({} are needed)", bytes.size(),
                                         count * static_cast<double>(size)));
        }
        for (std::size_t at = 0; at < all.size(); at += size) {
            values.push_back(
                static_cast<float>(load_float(&all[at], size, big != big_endian_machine)));
        }
    }
    if (static_cast<double>(values.size()) != count) {
        throw InputError(fmt::format("has {} values ({:.0f} are needed)", values.size(), count));
    }
    return values;
}

/// Madagascar's `.rsf` (Fomel et al. 2013): keys of the axes n, o and d, of which the first is
/// fastest, and the place of the numbers. Axes are depth, x and y unless their labels say
/// otherwise.
Model read_rsf(const TextFile& file, const ModelFileOptions& options, Notes& notes) {
    Grid points;
    Field<float> velocity;
    named_by_file(file, [&] {
        const std::string& text = file.text();
        const std::size_t end = text.find(header_end);
        const RsfHeader header(std::string_view(text).substr(0, end));
        const std::string in = header.text("in", "");
        if (in.empty()) throw InputError("has no key 'in' (where its numbers are)");
        const std::array<int, 3> axes = axes_of(header);
        points.shape = {1, 1, 1};
        points.spacing = {1, 1, 1};
        std::array<int, 3> counts{};
        double all = 1;
        for (std::size_t n = 0; n < 3; ++n) {
            const std::string key = fmt::format("{}", n + 1);
            counts[n] = header.count("n" + key);
            all *= counts[n];
            const int axis = axes[n];
            (axis == 0 ? points.shape.x : axis == 1 ? points.shape.y : points.shape.z) = counts[n];
            points.spacing[axis] = header.number("d" + key, 1);
            points.origin[axis] = header.number("o" + key, 0);
        }
        for (const int more : {4, 5, 6}) {
            if (header.count(fmt::format("n{}", more)) == 1) continue;
            throw InputError(fmt::format("n{} is not 1 (a model has up to three axes)", more));
        }
        const std::vector<float> values =
            values_of(numbers_of(file, in, end), header.text("data_format", "native_float"), all);
        if (points.shape.y == 1) points.origin.y = 0;
        validate(points);
        velocity = Field<float>(points.shape);
        std::size_t next = 0;
        Index3 at;
        for (int k = 0; k < counts[2]; ++k) {
            for (int j = 0; j < counts[1]; ++j) {
                for (int i = 0; i < counts[0]; ++i) {
                    at[axes[0]] = i;
                    at[axes[1]] = j;
                    at[axes[2]] = k;
                    velocity(at) = values[next++];
                }
            }
        }
        notes.add(fmt::format("{}: its axes are taken as {}, {} and {}, the first being fastest",
                              file.quoted(), "xyz"[axes[0]], "xyz"[axes[1]], "xyz"[axes[2]]));
    });
    return of_samples(file, points, std::move(velocity), options);
}

}  // namespace

const ModelFormat rsf_model{".rsf", ToldOfModel::grid, true, nullptr, read_rsf, nullptr, "", false};

}  // namespace fermat
