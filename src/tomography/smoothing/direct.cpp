#include <algorithm>
#include <vector>

#include "core/parallel.hpp"
#include "tomography/smoothing/box.hpp"
#include "tomography/smoothing/methods.hpp"

namespace fermat {
namespace {

/// What every method but the running sums needs of a box.
struct Boxes {
    Shape shape;
    BoxReach x, y, z;

    Boxes(Shape of, const SmoothingSize& size)
        : shape(of),
          x(box_reach(size.x, of.x)),
          y(box_reach(size.y, of.y)),
          z(box_reach(size.z, of.z)) {}

    BoxRange along_x(int i) const { return box_range(i, shape.x, x); }
    BoxRange along_y(int j) const { return box_range(j, shape.y, y); }
    BoxRange along_z(int k) const { return box_range(k, shape.z, z); }
};

/// Sum over the part of one x plane that lies in a box.
double slice_sum(FieldView<const double> values, int i, BoxRange y, BoxRange z) {
    double sum = 0;
    for (int j = y.first; j <= y.last; ++j) {
        const double* row = values.data() + values.shape().offset(i, j, 0);
        for (int k = z.first; k <= z.last; ++k) sum += row[k];
    }
    return sum;
}

Field<double> copy_of(FieldView<const double> values) {
    Field<double> copy(values.shape());
    std::copy(values.begin(), values.end(), copy.begin());
    return copy;
}

double box_count(BoxRange x, BoxRange y, BoxRange z) {
    return static_cast<double>(x.count()) * y.count() * z.count();
}

}  // namespace

void box_means_basic(FieldView<double> values, const SmoothingSize& size, int threads,
                     Monitor& monitor) {
    const Shape shape = values.shape();
    const Boxes boxes(shape, size);
    const Field<double> in = copy_of(values);
    parallel_for(static_cast<std::int64_t>(shape.x) * shape.y, threads, [&](std::int64_t row) {
        monitor.check();
        const int i = static_cast<int>(row / shape.y);
        const int j = static_cast<int>(row % shape.y);
        const BoxRange x = boxes.along_x(i);
        const BoxRange y = boxes.along_y(j);
        for (int k = 0; k < shape.z; ++k) {
            const BoxRange z = boxes.along_z(k);
            double sum = 0;
            for (int slice = x.first; slice <= x.last; ++slice) sum += slice_sum(in, slice, y, z);
            values(i, j, k) = sum / box_count(x, y, z);
        }
    });
}

void box_means_cached(FieldView<double> values, const SmoothingSize& size, int threads,
                      Monitor& monitor) {
    const Shape shape = values.shape();
    const Boxes boxes(shape, size);
    const Field<double> in = copy_of(values);
    parallel_for(shape.y, threads, [&](std::int64_t row) {
        const int j = static_cast<int>(row);
        const BoxRange y = boxes.along_y(j);
        std::vector<double> slices(static_cast<std::size_t>(shape.x));
        for (int k = 0; k < shape.z; ++k) {
            monitor.check();
            const BoxRange z = boxes.along_z(k);
            for (int i = 0; i < shape.x; ++i) slices[i] = slice_sum(in, i, y, z);
            for (int i = 0; i < shape.x; ++i) {
                const BoxRange x = boxes.along_x(i);
                double sum = 0;
                for (int slice = x.first; slice <= x.last; ++slice) sum += slices[slice];
                values(i, j, k) = sum / box_count(x, y, z);
            }
        }
    });
}

void sum_volume(FieldView<const double> values, double* table, int threads, Monitor& monitor) {
    const Shape shape = values.shape();
    const Shape entries = table_shape(shape);
    const std::size_t plane = static_cast<std::size_t>(entries.y) * entries.z;
    std::fill_n(table, plane, 0.0);
    // Within each plane across x, then from plane to plane: an order that no thread changes.
    parallel_for(shape.x, threads, [&](std::int64_t i) {
        monitor.check();
        double* before = table + entries.offset(static_cast<int>(i) + 1, 0, 0);
        std::fill_n(before, entries.z, 0.0);
        const double* row = values.data() + shape.offset(static_cast<int>(i), 0, 0);
        for (int j = 0; j < shape.y; ++j, before += entries.z, row += shape.z) {
            double* sums = before + entries.z;
            double sum = 0;
            sums[0] = 0;
            for (int k = 0; k < shape.z; ++k) {
                sum += row[k];
                sums[k + 1] = before[k + 1] + sum;
            }
        }
    });
    parallel_ranges(static_cast<std::int64_t>(plane), threads,
                    [&](std::int64_t first, std::int64_t last) {
                        for (int i = 1; i < shape.x; ++i) {
                            const double* sums = table + plane * i;
                            double* next = table + plane * (i + 1);
                            for (std::int64_t n = first; n < last; ++n) next[n] += sums[n];
                        }
                    });
}

void box_means_table(FieldView<double> values, const SmoothingSize& size, int threads,
                     Monitor& monitor) {
    const Shape shape = values.shape();
    const Boxes boxes(shape, size);
    const Shape entries = table_shape(shape);
    Field<double> table(entries);
    sum_volume(values, table.data(), threads, monitor);
    parallel_for(shape.x, threads, [&](std::int64_t plane_x) {
        monitor.check();
        const int i = static_cast<int>(plane_x);
        const BoxRange x = boxes.along_x(i);
        for (int j = 0; j < shape.y; ++j) {
            const BoxRange y = boxes.along_y(j);
            for (int k = 0; k < shape.z; ++k) {
                const BoxRange z = boxes.along_z(k);
                values(i, j, k) =
                    table_box_sum(table.data(), entries, x, y, z) / box_count(x, y, z);
            }
        }
    });
}

}  // namespace fermat
