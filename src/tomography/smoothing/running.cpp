#include <algorithm>
#include <vector>

#include "core/parallel.hpp"
#include "tomography/smoothing/line.hpp"
#include "tomography/smoothing/methods.hpp"
#include "tomography/smoothing/pack.hpp"

namespace fermat {
namespace {

constexpr int lanes = pack_lanes;
constexpr int wide = 7;  // registers of neighbouring lines at once; more would not stay in them
constexpr std::size_t strip = static_cast<std::size_t>(wide) * lanes;

/// Neighbouring lines from one place to another, which may be the same. `sums` has room for two
/// boxes.
template <int registers>
struct PackedLines {
    const double* from;
    std::size_t from_step;
    double* to;
    std::size_t to_step;
    double* sums;

    static constexpr std::size_t columns = static_cast<std::size_t>(registers) * lanes;
    Pack<registers> zero() const { return {}; }
    Pack<registers> load(int i) const { return load_pack<registers>(from + from_step * i); }
    void emit(int i, const Pack<registers>& mean) const { store_pack(to + to_step * i, mean); }
    void keep(int slot, int, const Pack<registers>& sum) const {
        store_pack(sums + columns * slot, sum);
    }
    Pack<registers> kept(int slot, int) const {
        return load_pack<registers>(sums + columns * slot);
    }
};

std::size_t padded(int n) { return (static_cast<std::size_t>(n) + strip - 1) / strip * strip; }

/// Values that start on a cache line, so that no register full of them straddles two.
class AlignedValues {
  public:
    explicit AlignedValues(std::size_t count) : lines_((count + 7) / 8) {}
    double* data() { return lines_.data()->values; }

  private:
    struct alignas(64) Line {
        double values[8];
    };
    std::vector<Line> lines_;
};

/// Working memory of one thread.
struct Scratch {
    Scratch(Shape shape, int widest)
        : sums(2 * static_cast<std::size_t>(widest) * strip),
          tile(static_cast<std::size_t>(std::max({shape.x, shape.y, shape.z})) * strip),
          plane(padded(shape.z) * shape.y),
          spare(static_cast<std::size_t>(shape.z)) {}

    AlignedValues sums;
    AlignedValues tile;   ///< lines side by side
    AlignedValues plane;  ///< rows along z, each padded to whole strips
    AlignedValues spare;  ///< stands for rows that are missing in a pack
};

/// Rows that are turned into columns and smoothed at once: enough to hide the adder's latency.
constexpr int turned = 5;
constexpr int pack_rows = turned * lanes;

/// Means along `count` <= pack_rows rows: turned into columns, smoothed, and turned back.
void smooth_rows(const double* from, std::size_t from_step, double* to, std::size_t to_step,
                 int count, int n, BoxReach reach, Scratch& scratch) {
    double* tile = scratch.tile.data();
    const auto source = [&](int r) {
        return r < count ? from + from_step * r : scratch.spare.data();
    };
    const auto target = [&](int r) { return r < count ? to + to_step * r : scratch.spare.data(); };
    const auto column = [&](int k, int r) {
        return tile + static_cast<std::size_t>(k) * pack_rows + r;
    };
    // The last square overlaps the one before where n is no multiple: the same values twice.
    for (int r = 0; r < pack_rows; r += lanes) {
        for (int k = 0; k < n && n >= lanes; k += lanes) {
            const int first = std::min(k, n - lanes);
            Pack<lanes> square;
            for (int l = 0; l < lanes; ++l) square.part[l] = load_register(source(r + l) + first);
            transpose(square);
            for (int l = 0; l < lanes; ++l) store_register(column(first + l, r), square.part[l]);
        }
    }
    if (n < lanes) {
        for (int r = 0; r < pack_rows; ++r) {
            for (int k = 0; k < n; ++k) *column(k, r) = source(r)[k];
        }
    }
    PackedLines<turned> lines{tile, pack_rows, tile, pack_rows, scratch.sums.data()};
    running_means(lines, n, reach);
    for (int r = 0; r < pack_rows; r += lanes) {
        for (int k = 0; k < n && n >= lanes; k += lanes) {
            const int first = std::min(k, n - lanes);
            Pack<lanes> square;
            for (int l = 0; l < lanes; ++l) square.part[l] = load_register(column(first + l, r));
            transpose(square);
            for (int l = 0; l < lanes; ++l) store_register(target(r + l) + first, square.part[l]);
        }
    }
    if (n < lanes) {
        for (int r = 0; r < pack_rows; ++r) {
            for (int k = 0; k < n; ++k) target(r)[k] = *column(k, r);
        }
    }
}

/// Columns of a padded plane on their way to rows without padding. A pack that reaches beyond the
/// end of its row spills into the rows after it, which are written later; never beyond the plane.
struct UnpaddingLines : PackedLines<wide> {
    std::size_t room;   ///< from the strip's first column to the plane's end
    std::size_t whole;  ///< columns of this strip that lie inside the row

    void emit(int i, const Pack<wide>& mean) const {
        if (to_step * i + strip <= room) return PackedLines<wide>::emit(i, mean);
        double values[strip];
        store_pack(values, mean);
        std::copy_n(values, std::min(whole, strip), to + to_step * i);
    }
};

/// Means down the columns of the padded plane in `scratch`, into rows without padding.
void smooth_plane(double* to, Shape shape, BoxReach reach, Scratch& scratch) {
    const std::size_t row = padded(shape.z);
    const std::size_t nz = static_cast<std::size_t>(shape.z);
    for (std::size_t end = row; end > 0; end -= strip) {  // the strip that spills comes first
        const std::size_t c = end - strip;
        UnpaddingLines lines{{scratch.plane.data() + c, row, to + c, nz, scratch.sums.data()},
                             nz * shape.y - c,
                             nz - c};
        running_means(lines, shape.y, reach);
    }
}

/// Means down a strip of columns, in place.
void smooth_strip(double* first, std::size_t step, std::size_t columns, int n, BoxReach reach,
                  Scratch& scratch) {
    if (columns == strip) {
        PackedLines<wide> lines{first, step, first, step, scratch.sums.data()};
        return running_means(lines, n, reach);
    }
    double* tile = scratch.tile.data();
    for (int i = 0; i < n; ++i) std::copy_n(first + step * i, columns, tile + strip * i);
    PackedLines<wide> lines{tile, strip, tile, strip, scratch.sums.data()};
    running_means(lines, n, reach);
    for (int i = 0; i < n; ++i) std::copy_n(tile + strip * i, columns, first + step * i);
}

}  // namespace

void box_means_running(FieldView<double> values, const SmoothingSize& size, int threads,
                       Monitor& monitor) {
    const Shape shape = values.shape();
    const BoxReach x = box_reach(size.x, shape.x);
    const BoxReach y = box_reach(size.y, shape.y);
    const BoxReach z = box_reach(size.z, shape.z);
    const int widest = std::max({x.width(), y.width(), z.width()});
    std::vector<Scratch> scratch(static_cast<std::size_t>(threads), Scratch(shape, widest));

    if (shape.y == 1) {
        parallel_for((shape.x + pack_rows - 1) / pack_rows, threads, [&](std::int64_t pack) {
            monitor.check();
            const int first = static_cast<int>(pack) * pack_rows;
            double* row = values.data() + shape.offset(first, 0, 0);
            smooth_rows(row, shape.z, row, shape.z, std::min(pack_rows, shape.x - first), shape.z,
                        z, scratch[thread_index()]);
        });
    } else {
        parallel_for(shape.x, threads, [&](std::int64_t i) {
            monitor.check();
            Scratch& mine = scratch[thread_index()];
            double* rows = values.data() + shape.offset(static_cast<int>(i), 0, 0);
            const std::size_t pad = padded(shape.z);
            for (int j = 0; j < shape.y; j += pack_rows) {
                smooth_rows(rows + static_cast<std::size_t>(shape.z) * j, shape.z,
                            mine.plane.data() + pad * j, pad, std::min(pack_rows, shape.y - j),
                            shape.z, z, mine);
            }
            smooth_plane(rows, shape, y, mine);
        });
    }

    const std::size_t columns = static_cast<std::size_t>(shape.y) * shape.z;
    const std::size_t strips = (columns + strip - 1) / strip;
    parallel_for(static_cast<std::int64_t>(strips), threads, [&](std::int64_t s) {
        monitor.check();
        const std::size_t first = strip * s;
        smooth_strip(values.data() + first, columns, std::min(strip, columns - first), shape.x, x,
                     scratch[thread_index()]);
    });
}

}  // namespace fermat
