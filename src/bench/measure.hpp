#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "core/execution.hpp"
#include "core/median.hpp"
#include "core/parallel.hpp"
#include "core/stopwatch.hpp"
#include "eikonal/time_field.hpp"

namespace fermat::bench {

/// An execution on the CPU, also on machines with a device.
inline Execution on_cpu(int threads, Monitor& monitor = silent_monitor()) {
    return {threads, Device::cpu, monitor};
}

/// Median seconds of several runs.
template <class Work>
double median_seconds(int repeats, Work&& work) {
    std::vector<double> seconds;
    for (int i = 0; i < repeats; ++i) {
        const Stopwatch watch;
        work();
        seconds.push_back(watch.seconds());
    }
    return median(std::move(seconds));
}

/// Measures the memory that the process allocates during the probe's lifetime.
class MemoryProbe {
  public:
    MemoryProbe();

    double peak_bytes() const;
    /// Peak above the use at construction; nothing if the system does not report it.
    std::optional<double> grown_bytes() const;

  private:
    std::optional<double> before_;
};

struct RelativeErrors {
    double mean = 0;
    double max = 0;
};

/// Relative errors of a field whose source starts at 0, over the nodes at least three cells from
/// the source where exact(position) is a number. Sums do not depend on the number of threads.
template <class Exact>
RelativeErrors node_errors(const TimeField& field, int threads, Exact exact) {
    struct Slab {
        double sum = 0;
        double max = 0;
        double count = 0;
    };
    constexpr double nearest = 3;
    const Grid& grid = field.grid;
    std::vector<Slab> slabs(static_cast<std::size_t>(grid.shape.x));
    parallel_for(grid.shape.x, threads, [&](std::int64_t i) {
        Slab& slab = slabs[static_cast<std::size_t>(i)];
        for (int j = 0; j < grid.shape.y; ++j) {
            for (int k = 0; k < grid.shape.z; ++k) {
                const Index3 node{static_cast<int>(i), j, k};
                const Vec3 p = grid.position(node);
                const double r = field.factor.radius(p);
                if (r < nearest * grid.spacing.x) continue;
                const double wanted = exact(p);
                if (std::isnan(wanted)) continue;
                const double error =
                    std::abs(field.factor.slowness * r * field.tau(node) - wanted) / wanted;
                slab.sum += error;
                slab.max = std::max(slab.max, error);
                slab.count += 1;
            }
        }
    });
    Slab all;
    for (const Slab& slab : slabs) {
        all.sum += slab.sum;
        all.max = std::max(all.max, slab.max);
        all.count += slab.count;
    }
    return {all.sum / all.count, all.max};
}

}  // namespace fermat::bench
