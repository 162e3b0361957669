#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "io/model_formats.hpp"
#include "io/numbers.hpp"
#include "io/segy_write.hpp"

namespace fermat {
namespace {

constexpr std::size_t text_size = 3200;
constexpr std::size_t segy_head = 3600;
constexpr std::size_t trace_head = 240;

/// Numbers of a SEG-Y file by the bytes at which the standard (SEG 2017) has them, from 1.
class SegyBytes {
  public:
    explicit SegyBytes(std::string_view bytes) : bytes_(std::as_bytes(std::span(bytes))) {}

    std::int32_t whole4(std::size_t at) const {
        return static_cast<std::int32_t>(load_bits<std::uint32_t>(&bytes_[at - 1], swapped));
    }
    std::int16_t whole2(std::size_t at) const {
        const auto high = std::to_integer<unsigned>(bytes_[at - 1 + (little ? 1 : 0)]);
        const auto low = std::to_integer<unsigned>(bytes_[at - (little ? 1 : 0)]);
        return static_cast<std::int16_t>(static_cast<std::uint16_t>(256 * high + low));
    }
    int count2(std::size_t at) const { return static_cast<std::uint16_t>(whole2(at)); }
    double real8(std::size_t at) const { return load_float(&bytes_[at - 1], 8, swapped); }
    /// A sample of the type of a format code.
    double sample(std::size_t at, int code) const {
        if (code == 1) return ibm(at);
        if (code == 2) return whole4(at);
        if (code == 3) return whole2(at);
        if (code == 6) return real8(at);
        if (code == 8) return std::to_integer<std::int8_t>(bytes_[at - 1]);
        return load_float(&bytes_[at - 1], 4, swapped);
    }
    std::size_t size() const { return bytes_.size(); }

    bool little = false;
    bool swapped = !big_endian_machine;

  private:
    /// IBM's float: sign, power of 16 plus 64, and 24 bits behind the point.
    double ibm(std::size_t at) const {
        const auto bits = static_cast<std::uint32_t>(whole4(at));
        const int power = static_cast<int>(bits >> 24 & 0x7f) - 64;
        const double size = std::ldexp(static_cast<double>(bits & 0xffffff), 4 * power - 24);
        return bits >> 31 ? -size : size;
    }

    std::span<const std::byte> bytes_;
};

std::size_t sample_size(int code) {
    switch (code) {
        case 1:
        case 2:
        case 5:
            return 4;
        case 3:
            return 2;
        case 6:
            return 8;
        case 8:
            return 1;
        default:
            throw InputError(
                fmt::format("has samples of the format code {} (must be 1, 2, 3, 5, 6 "
                            "or 8: IBM's and IEEE's floats and whole numbers)",
                            code));
    }
}

struct SegyTrace {
    double x = 0;
    double y = 0;
    int inline_number = 0;
    int crossline = 0;
};

struct SegyHead {
    int code = 5;
    int samples = 0;
    std::size_t first = segy_head;  ///< byte of the first trace, from 0
    std::size_t stride = 0;
    std::size_t traces = 0;
    double step = 0;   ///< of depth; 0 if the file does not tell it
    double told = 0;   ///< the sample interval, as the file has it
    double start = 0;  ///< depth of the first sample
};

SegyHead read_head(SegyBytes& bytes) {
    if (bytes.size() < segy_head + trace_head) {
        throw InputError(
            fmt::format("has {} bytes (it is truncated; SEG-Y has {} before its first "
                        "sample)",
                        bytes.size(), segy_head + trace_head));
    }
    const auto good = [&] {
        const int code = bytes.count2(3225);
        return code >= 1 && code <= 16;
    };
    if (!good()) {
        bytes.little = true;
        bytes.swapped = big_endian_machine;
    }
    if (!good()) throw InputError("is not SEG-Y (its format code is none, of either byte order)");
    SegyHead head;
    head.code = bytes.count2(3225);
    head.samples = bytes.count2(3221);
    const int revision = bytes.count2(3501) >> 8;
    const int more = revision >= 1 ? bytes.whole2(3505) : 0;
    if (more < 0) {
        throw InputError("has a text of unknown length before its traces (leave it out)");
    }
    if (revision >= 2 && bytes.whole4(3269) > 0) head.samples = bytes.whole4(3269);
    if (head.samples == 0) head.samples = bytes.count2(segy_head + 115);
    head.first += static_cast<std::size_t>(more) * text_size;
    head.stride = trace_head + static_cast<std::size_t>(head.samples) * sample_size(head.code);
    if (head.samples < 1 || bytes.size() < head.first + head.stride ||
        (bytes.size() - head.first) % head.stride != 0) {
        throw InputError(
            fmt::format("has {} bytes, which are no whole number of traces of {} "
                        "samples (it is truncated, or their lengths differ)",
                        bytes.size(), head.samples));
    }
    head.traces = (bytes.size() - head.first) / head.stride;
    head.told = bytes.count2(3217);
    if (head.told == 0) head.told = bytes.count2(head.first + 117);
    // Files of depths have thousandths of the unit, as those of times have thousandths of a ms;
    // some have the step itself.
    head.step = head.told >= 100 ? head.told / 1000 : head.told;
    if (revision >= 2 && bytes.real8(3273) > 0) {
        head.told = bytes.real8(3273);
        head.step = head.told / 1000;
    }
    head.start = bytes.whole2(head.first + 109);
    return head;
}

std::vector<SegyTrace> read_traces(const SegyBytes& bytes, const SegyHead& head) {
    std::vector<SegyTrace> traces(head.traces);
    // x and y of the midpoint, the group and the source: the first that is there.
    for (const std::size_t place : {181U, 81U, 73U}) {
        bool any = false;
        for (std::size_t n = 0; n < head.traces; ++n) {
            const std::size_t at = head.first + n * head.stride;
            const double scale = bytes.whole2(at + 71);
            const double factor = scale > 0 ? scale : scale < 0 ? -1 / scale : 1;
            traces[n].x = factor * bytes.whole4(at + place);
            traces[n].y = factor * bytes.whole4(at + place + 4);
            any = any || traces[n].x != 0 || traces[n].y != 0;
        }
        if (any) break;
    }
    for (std::size_t n = 0; n < head.traces; ++n) {
        const std::size_t at = head.first + n * head.stride;
        traces[n].inline_number = bytes.whole4(at + 189);
        traces[n].crossline = bytes.whole4(at + 193);
    }
    return traces;
}

/// Where traces stand: their points, and for each trace its index along x and along y.
struct SegyLayout {
    Grid points{};
    std::vector<std::pair<int, int>> at{};
    bool has_places = true;
};

double distance(const SegyTrace& a, const SegyTrace& b) { return std::hypot(b.x - a.x, b.y - a.y); }

SegyLayout line_of(const std::vector<SegyTrace>& traces) {
    SegyLayout out;
    const int count = static_cast<int>(traces.size());
    out.points.shape = {count, 1, 1};
    const double length = distance(traces.front(), traces.back());
    out.has_places = length > 0;
    const double step = count > 1 ? length / (count - 1) : 0;
    for (std::size_t n = 1; n < traces.size() && out.has_places; ++n) {
        const double here = distance(traces[n - 1], traces[n]);
        if (std::abs(here - step) <= 0.02 * step) continue;
        throw InputError(
            fmt::format("has traces {} and {} at a distance of {:g}, and others of "
                        "{:g} (must be even: give `spacing` to take them so)",
                        n, n + 1, here, step));
    }
    const bool along_x = traces.front().y == traces.back().y;
    const bool back = along_x && traces.back().x < traces.front().x;
    for (int n = 0; n < count; ++n) out.at.emplace_back(back ? count - 1 - n : n, 0);
    out.points.origin.x = along_x ? std::min(traces.front().x, traces.back().x) : 0;
    out.points.spacing.x = step;
    return out;
}

/// Nothing unless every inline has a trace at every crossline.
std::optional<SegyLayout> volume_of(const std::vector<SegyTrace>& traces, const TextFile& file,
                                    Notes& notes) {
    std::map<int, int> inlines;
    std::map<int, int> crosslines;
    for (const SegyTrace& trace : traces) {
        inlines.emplace(trace.inline_number, 0);
        crosslines.emplace(trace.crossline, 0);
    }
    if (inlines.size() < 2 || crosslines.size() < 2) return std::nullopt;
    if (inlines.size() * crosslines.size() != traces.size()) {
        throw InputError(
            fmt::format("has {} traces of {} inlines and {} crosslines (each inline "
                        "must have one at each crossline)",
                        traces.size(), inlines.size(), crosslines.size()));
    }
    int number = 0;
    for (auto& [key, index] : inlines) index = number++;
    number = 0;
    for (auto& [key, index] : crosslines) index = number++;
    std::map<std::pair<int, int>, const SegyTrace*> by_index;
    std::vector<std::pair<int, int>> indices;
    for (const SegyTrace& trace : traces) {
        indices.emplace_back(inlines[trace.inline_number], crosslines[trace.crossline]);
        if (!by_index.emplace(indices.back(), &trace).second) {
            throw InputError(fmt::format("has two traces at inline {} and crossline {}",
                                         trace.inline_number, trace.crossline));
        }
    }
    const int last_in = static_cast<int>(inlines.size()) - 1;
    const int last_cross = static_cast<int>(crosslines.size()) - 1;
    const SegyTrace& corner = *by_index.at({0, 0});
    const SegyTrace& far_in = *by_index.at({last_in, 0});
    const SegyTrace& far_cross = *by_index.at({0, last_cross});
    const bool in_is_x = std::abs(far_in.x - corner.x) >= std::abs(far_in.y - corner.y);
    const SegyTrace& far_x = in_is_x ? far_in : far_cross;
    const SegyTrace& far_y = in_is_x ? far_cross : far_in;
    SegyLayout out;
    const int nx = (in_is_x ? last_in : last_cross) + 1;
    const int ny = (in_is_x ? last_cross : last_in) + 1;
    out.points.shape = {nx, ny, 1};
    out.points.spacing = {distance(corner, far_x) / (nx - 1), distance(corner, far_y) / (ny - 1),
                          1};
    out.has_places = out.points.spacing.x > 0 && out.points.spacing.y > 0;
    const bool turned = far_x.y != corner.y || far_y.x != corner.x;
    const bool back_x = !turned && far_x.x < corner.x;
    const bool back_y = !turned && far_y.y < corner.y;
    if (out.has_places && turned) {
        notes.add(
            fmt::format("{}: its lines do not run along x and y, so x and y are distances "
                        "from the first trace along them",
                        file.quoted()));
    } else if (out.has_places) {
        out.points.origin = {std::min(corner.x, far_x.x), std::min(corner.y, far_y.y), 0};
    }
    for (const auto& [in, cross] : indices) {
        const int x = in_is_x ? in : cross;
        const int y = in_is_x ? cross : in;
        out.at.emplace_back(back_x ? nx - 1 - x : x, back_y ? ny - 1 - y : y);
    }
    return out;
}

/// SEG-Y (revisions 0 to 2) of velocity against depth: a trace is a column of the model.
Model read_segy(const TextFile& file, const ModelFileOptions& options, Notes& notes) {
    Field<float> velocity;
    SegyLayout layout;
    const std::string& text = file.text();
    try {
        SegyBytes bytes(text);
        const SegyHead head = read_head(bytes);
        std::vector<SegyTrace> traces = read_traces(bytes, head);
        if (options.spacing) {
            // Distances that the user gives need no places, which may be uneven.
            for (SegyTrace& trace : traces) trace.x = trace.y = 0;
        }
        const auto volume = volume_of(traces, file, notes);
        layout = volume ? *volume : line_of(traces);
        if (!options.spacing && (!layout.has_places || head.step == 0)) {
            throw InputError(
                fmt::format("does not tell {} (give `spacing`)",
                            head.step == 0 ? "the step of depth" : "where its traces are"));
        }
        layout.points.shape.z = head.samples;
        layout.points.spacing.z = head.step;
        layout.points.origin.z = head.start;
        velocity = Field<float>(layout.points.shape);
        for (std::size_t n = 0; n < head.traces; ++n) {
            const auto [x, y] = layout.at[n];
            for (int z = 0; z < head.samples; ++z) {
                const std::size_t at = head.first + n * head.stride + trace_head + 1 +
                                       static_cast<std::size_t>(z) * sample_size(head.code);
                velocity(x, y, z) = static_cast<float>(bytes.sample(at, head.code));
            }
        }
        if (!options.spacing) {
            notes.add(
                fmt::format("{}: the sample interval {:g} is taken as a step of depth of "
                            "{:g}, in the unit of its coordinates (`spacing` says otherwise)",
                            file.quoted(), head.told, head.step));
        }
    } catch (const InputError& error) {
        throw InputError(fmt::format("{} {}", file.quoted(), error.what()));
    }
    return of_samples(file, layout.points, std::move(velocity), options);
}

}  // namespace

const ModelFormat segy_model{".sgy .segy", ToldOfModel::grid, true, nullptr,
                             read_segy,    write_segy_model,  "",   false};

}  // namespace fermat
