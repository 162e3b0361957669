#include <algorithm>
#include <vector>

#include "core/parallel.hpp"
#include "eikonal/lanes.hpp"
#include "tomography/smoothing_line.hpp"
#include "tomography/smoothing_methods.hpp"

namespace fermat {
namespace {

constexpr int lanes = lane_count<double>;

/// Registers of neighbouring lines that are summed at once.
template <int registers>
struct Pack {
    Lanes<double> part[registers];

    [[gnu::always_inline]] friend Pack operator+(Pack a, const Pack& b) {
        for (int r = 0; r < registers; ++r) a.part[r] += b.part[r];
        return a;
    }
    [[gnu::always_inline]] friend Pack operator*(Pack a, double factor) {
        for (int r = 0; r < registers; ++r) a.part[r] *= factor;
        return a;
    }
};

template <int registers>
[[gnu::always_inline]] inline Pack<registers> load_pack(const double* from) {
    Pack<registers> pack;
    for (int r = 0; r < registers; ++r) pack.part[r] = load(from + r * lanes);
    return pack;
}

template <int registers>
[[gnu::always_inline]] inline void store_pack(double* to, const Pack<registers>& pack) {
    for (int r = 0; r < registers; ++r) store(to + r * lanes, pack.part[r]);
}

/// Neighbouring lines in memory, smoothed in place. `sums` has room for two boxes.
template <int registers>
struct PackedLines {
    double* first;
    std::size_t step;
    double* sums;

    static constexpr int columns = registers * lanes;
    Pack<registers> zero() const { return {}; }
    Pack<registers> load(int i) const { return load_pack<registers>(first + step * i); }
    void emit(int i, const Pack<registers>& mean) const { store_pack(first + step * i, mean); }
    void keep(int slot, int, const Pack<registers>& sum) const {
        store_pack(sums + static_cast<std::size_t>(slot) * columns, sum);
    }
    Pack<registers> kept(int slot, int) const {
        return load_pack<registers>(sums + static_cast<std::size_t>(slot) * columns);
    }
};

constexpr int wide = 4;  // registers; more would not stay in them

/// Working memory of one thread.
struct Scratch {
    std::vector<double> sums;
    std::vector<double> tile;

    void fit(int n, BoxReach reach) {
        sums.resize(2 * static_cast<std::size_t>(reach.width()) * wide * lanes);
        tile.resize(static_cast<std::size_t>(n) * lanes);
    }
};

/// Smooths up to `lanes` lines that do not lie side by side, through a tile in which they do.
void smooth_gathered(double* first, std::size_t step, std::size_t apart, int columns, int n,
                     BoxReach reach, Scratch& scratch) {
    double* tile = scratch.tile.data();
    for (int c = 0; c < columns; ++c) {
        for (int i = 0; i < n; ++i) tile[i * lanes + c] = first[c * apart + i * step];
    }
    PackedLines<1> lines{tile, lanes, scratch.sums.data()};
    running_means(lines, n, reach);
    for (int c = 0; c < columns; ++c) {
        for (int i = 0; i < n; ++i) first[c * apart + i * step] = tile[i * lanes + c];
    }
}

/// Smooths `columns` lines that lie side by side, element i of all of them `step` apart.
void smooth_columns(double* first, std::size_t step, int columns, int n, BoxReach reach,
                    Scratch& scratch) {
    int c = 0;
    for (; c + wide * lanes <= columns; c += wide * lanes) {
        PackedLines<wide> lines{first + c, step, scratch.sums.data()};
        running_means(lines, n, reach);
    }
    for (; c + lanes <= columns; c += lanes) {
        PackedLines<1> lines{first + c, step, scratch.sums.data()};
        running_means(lines, n, reach);
    }
    if (c < columns) smooth_gathered(first + c, step, 1, columns - c, n, reach, scratch);
}

}  // namespace

void box_means_running(FieldView<double> values, const SmoothingSize& size, int threads,
                       Monitor& monitor) {
    const Shape shape = values.shape();
    const BoxReach x = box_reach(size.x, shape.x);
    const BoxReach y = box_reach(size.y, shape.y);
    const BoxReach z = box_reach(size.z, shape.z);
    std::vector<Scratch> scratch(static_cast<std::size_t>(threads));

    // Along z, then along y while the planes are still in cache; enough planes to fill the lanes.
    const int planes = (lanes + shape.y - 1) / shape.y;
    parallel_for((shape.x + planes - 1) / planes, threads, [&](std::int64_t chunk) {
        monitor.check();
        Scratch& mine = scratch[thread_index()];
        const int first = static_cast<int>(chunk) * planes;
        const int last = std::min(first + planes, shape.x);
        mine.fit(shape.z, z);
        const int rows = (last - first) * shape.y;
        double* row = values.data() + shape.offset(first, 0, 0);
        for (int r = 0; r < rows; r += lanes, row += static_cast<std::size_t>(lanes) * shape.z) {
            smooth_gathered(row, 1, shape.z, std::min(lanes, rows - r), shape.z, z, mine);
        }
        mine.fit(shape.y, y);
        for (int i = first; i < last; ++i) {
            smooth_columns(values.data() + shape.offset(i, 0, 0), shape.z, shape.z, shape.y, y,
                           mine);
        }
    });

    const std::int64_t columns = static_cast<std::int64_t>(shape.y) * shape.z;
    constexpr std::int64_t strip = wide * lanes;
    parallel_for((columns + strip - 1) / strip, threads, [&](std::int64_t s) {
        monitor.check();
        Scratch& mine = scratch[thread_index()];
        mine.fit(shape.x, x);
        const std::int64_t first = s * strip;
        smooth_columns(values.data() + first, static_cast<std::size_t>(columns),
                       static_cast<int>(std::min(strip, columns - first)), shape.x, x, mine);
    });
}

}  // namespace fermat
