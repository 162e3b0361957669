#include "tomography/smoothing/smoothing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "tomography/smoothing/methods.hpp"
#include "tomography/smoothing/smoothing_cuda.hpp"
#include "tomography/smoothing/weights.hpp"

namespace fermat {
namespace {

void box_means(FieldView<double> values, const SmoothingSize& size, const SmoothingOptions& options,
               int threads, Monitor& monitor) {
    switch (options.smoother) {
        case Smoother::basic:
            return box_means_basic(values, size, threads, monitor);
        case Smoother::cached:
            return box_means_cached(values, size, threads, monitor);
        case Smoother::table:
            return box_means_table(values, size, threads, monitor);
        case Smoother::running:
            return box_means_running(values, size, threads, monitor);
    }
}

/// Calls body(n) for every element, in shares.
template <class Body>
void for_each_element(std::size_t count, int threads, Body&& body) {
    parallel_ranges(static_cast<std::int64_t>(count), threads,
                    [&](std::int64_t first, std::int64_t last) {
                        for (std::int64_t n = first; n < last; ++n) {
                            body(static_cast<std::size_t>(n));
                        }
                    });
}

void require_shape(Shape expected, Shape given, const char* what) {
    if (expected == given) return;
    throw InputError(
        fmt::format("{} of shape {} cannot weigh values of shape {} (the shapes must "
                    "be equal)",
                    what, to_string(given), to_string(expected)));
}

/// Mean over each box of the weights; exactly 0 where no weight lies in it. Differences of a table
/// are exact for whole numbers only: the rest asks a second table, that of where weights lie.
Field<double> mean_weights(FieldView<const double> weights, const SmoothingSize& size,
                           const SmoothingOptions& options, int threads, Monitor& monitor) {
    Field<double> means(weights.shape());
    std::copy(weights.begin(), weights.end(), means.begin());
    box_means(means, size, options, threads, monitor);
    const auto whole = [](double weight) { return weight == std::floor(weight); };
    if (options.smoother != Smoother::table || std::all_of(weights.begin(), weights.end(), whole)) {
        return means;
    }
    Field<double> present(weights.shape());
    std::transform(weights.begin(), weights.end(), present.begin(),
                   [](double weight) { return weight > 0 ? 1.0 : 0.0; });
    box_means(present, size, options, threads, monitor);
    for_each_element(means.size(), threads, [&](std::size_t n) {
        if (present[n] == 0) means[n] = 0;
    });
    return means;
}

/// Vertex smoothing where some nodes stand aside.
void smooth_masked(FieldView<double> values, const SmoothingSize& size,
                   const SmoothingOptions& options, FieldView<const std::uint8_t> mask, int threads,
                   Monitor& monitor) {
    Field<double> weights(values.shape());
    for_each_element(values.size(), threads,
                     [&](std::size_t n) { weights[n] = mask[n] != 0 ? 1.0 : 0.0; });
    const Field<double> means = mean_weights(weights, size, options, threads, monitor);
    Field<double> sums = std::move(weights);
    for (int pass = 0; pass < options.passes; ++pass) {
        for_each_element(values.size(), threads,
                         [&](std::size_t n) { sums[n] = mask[n] != 0 ? values[n] : 0.0; });
        box_means(sums, size, options, threads, monitor);
        for_each_element(values.size(), threads, [&](std::size_t n) {
            if (mask[n] != 0) values[n] = weighted_mean(sums[n], means[n]);
        });
    }
}

/// Whether to smooth on the CUDA device, which is asked for by name alone.
bool smooths_on_cuda(const SmoothingOptions& options, Device device) {
    refuse_opengl(device);
    if (device != Device::cuda) return false;
    const bool able = options.smoother == Smoother::table || options.smoother == Smoother::running;
    return on_cuda(
        device,
        able ? "" : fmt::format("smoother '{}' computes on the CPU", name_of(options.smoother)));
}

}  // namespace

std::string to_string(const SmoothingSize& size) {
    return fmt::format("{}x{}x{}", size.x, size.y, size.z);
}

void validate(const SmoothingSize& size) {
    for (int axis = 0; axis < 3; ++axis) {
        if (size[axis] < 1) {
            throw InputError(fmt::format("smoothing size {} has {} along {} (must be >= 1)",
                                         to_string(size), size[axis], "xyz"[axis]));
        }
    }
}

void validate(const SmoothingOptions& options) { validate_options(options); }

void smooth_cells(FieldView<double> perturbations, FieldView<const double> coverage,
                  const SmoothingSize& size, const SmoothingOptions& options,
                  const Execution& execution) {
    validate(size);
    validate(options);
    const int threads = resolve_threads(execution.threads);
    Monitor& monitor = execution.monitor;
    const bool cuda = smooths_on_cuda(options, execution.device);
    require_shape(perturbations.shape(), coverage.shape(), "coverage");
    if (options.passes == 0 || perturbations.size() == 0) return;
    if (cuda) {
        monitor.check();
        smooth_cells_cuda(perturbations, coverage, size, options.smoother, options.passes);
        return;
    }
    const Field<double> rays = mean_weights(coverage, size, options, threads, monitor);
    // In place, since memory that is asked for anew takes longer than the sums: what must not
    // change is put aside, and is next to nothing.
    std::vector<std::pair<std::size_t, double>> untouched;
    for (std::size_t n = 0; n < perturbations.size(); ++n) {
        if (rays[n] == 0 && perturbations[n] != 0) untouched.emplace_back(n, perturbations[n]);
    }
    for (int pass = 0; pass < options.passes; ++pass) {
        if (pass > 0) {
            for_each_element(perturbations.size(), threads,
                             [&](std::size_t n) { perturbations[n] *= coverage[n]; });
        }
        box_means(perturbations, size, options, threads, monitor);
        for_each_element(perturbations.size(), threads, [&](std::size_t n) {
            perturbations[n] = weighted_mean(perturbations[n], rays[n]);
        });
    }
    for (const auto& [n, value] : untouched) perturbations[n] = value;
}

void smooth_vertices(FieldView<double> values, const SmoothingSize& size,
                     const SmoothingOptions& options, FieldView<const std::uint8_t> mask,
                     const Execution& execution) {
    validate(size);
    validate(options);
    const int threads = resolve_threads(execution.threads);
    Monitor& monitor = execution.monitor;
    const bool cuda = smooths_on_cuda(options, execution.device);
    if (mask.data()) require_shape(values.shape(), mask.shape(), "mask");
    if (options.passes == 0 || values.size() == 0) return;
    if (cuda) {
        monitor.check();
        smooth_vertices_cuda(values, mask, size, options.smoother, options.passes);
        return;
    }
    if (mask.data()) return smooth_masked(values, size, options, mask, threads, monitor);
    for (int pass = 0; pass < options.passes; ++pass) {
        box_means(values, size, options, threads, monitor);
    }
}

void smooth_vertices(FieldView<float> values, const SmoothingSize& size,
                     const SmoothingOptions& options, FieldView<const std::uint8_t> mask,
                     const Execution& execution) {
    Field<double> wide(values.shape());
    std::copy(values.begin(), values.end(), wide.begin());
    smooth_vertices(wide.view(), size, options, mask, execution);
    std::transform(wide.begin(), wide.end(), values.begin(),
                   [](double value) { return static_cast<float>(value); });
}

}  // namespace fermat
