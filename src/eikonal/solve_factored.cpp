#include "eikonal/solve_factored.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <utility>

#include "core/error.hpp"
#include "core/huge_pages.hpp"
#include "core/parallel.hpp"
#include "core/streaming.hpp"
#include "eikonal/cells/march.hpp"
#include "eikonal/fim/fim.hpp"
#include "eikonal/fim/fim_cuda.hpp"
#include "eikonal/fmm/fmm.hpp"
#include "eikonal/fsm.hpp"
#include "eikonal/resolution.hpp"
#include "eikonal/stencil.hpp"
#include "eikonal/vidale/vidale.hpp"

namespace fermat {
namespace {

/// Turns a field of times into tau, in the same memory. At the source itself tau is 1.
template <class Real>
void divide_by_factor(const Grid& grid, const SourceFactor& factor, FieldView<Real> times) {
    for (int i = 0; i < grid.shape.x; ++i) {
        for (int j = 0; j < grid.shape.y; ++j) {
            for (int k = 0; k < grid.shape.z; ++k) {
                const double t0 = factor.value(grid.position({i, j, k}));
                Real& t = times(i, j, k);
                t = t0 > 0 ? static_cast<Real>(t / t0) : Real(1);
            }
        }
    }
}

/// tau of one source on the CPU, `unreached` or infinite where no wave arrives.
template <class Real>
Field<Real> solve_tau(const Model& model, const FactoredSource& source,
                      const EikonalOptions& options, int threads, Monitor& monitor) {
    if (options.solver == Solver::vidale) {
        require_nodes(model, "solver 'vidale'");
        Field<Real> tau = vidale_times<Real>(model, source.position, monitor);
        divide_by_factor(model.grid(), source, tau.view());
        return tau;
    }
    Field<Real> tau = allocate_field<Real>(model.grid().shape);
    if (model.jumping_cells().exist()) {
        march_through_cells<Real>(model, source, options.order, tau, monitor);
        return tau;
    }
    switch (options.solver) {
        case Solver::fmm:
            fmm_solve<Real>(model, source, options.order, tau, monitor);
            break;
        case Solver::fsm:
            fsm_solve<Real>(model, source, options.order, tau, monitor);
            break;
        default:
            fim_solve<Real>(model, source, options.order, threads, tau, monitor);
    }
    require_resolved<Real>(model, source, tau.view(), threads);
    return tau;
}

}  // namespace

template <class Real>
void mark_unreached(FieldView<Real> field, int threads) {
    const auto nodes = static_cast<std::int64_t>(field.size());
    parallel_ranges(nodes, streaming_threads(field.size(), threads),
                    [&](std::int64_t begin, std::int64_t end) {
                        for (Real* tau = field.data() + begin; tau != field.data() + end; ++tau) {
                            if (!(*tau < reached_limit<Real>))
                                *tau = std::numeric_limits<Real>::infinity();
                        }
                    });
}

template <class Real>
Field<Real> allocate_field(Shape shape) {
    try {
        Field<Real> field(shape);
        advise_huge_pages(field.data(), field.size() * sizeof(Real));
        return field;
    } catch (const std::bad_alloc&) {
        throw ComputeError(fmt::format(
            "a time field of shape {} does not fit in memory ({:.1f} GB are needed for each "
            "thread)",
            to_string(shape), 1e-9 * static_cast<double>(shape.count() * sizeof(Real))));
    }
}

double wanted_until(const EikonalOptions& options, double start_time) {
    return std::max(options.until - start_time, 0.0);
}

template <class Real>
void cut_late_times(BasicTimeField<Real>& field, double until, int threads) {
    if (until == std::numeric_limits<double>::infinity()) return;
    const Grid& grid = field.grid;
    const int team = streaming_threads(grid.node_count(), threads);
    parallel_ranges(grid.shape.x, team, [&](std::int64_t first, std::int64_t last) {
        for (int i = static_cast<int>(first); i < static_cast<int>(last); ++i) {
            for (int j = 0; j < grid.shape.y; ++j) {
                const FactorLine line = line_of_nodes(grid, field.factor, i, j);
                Real* const tau = &field.tau(i, j, 0);
                for (int k = 0; k < grid.shape.z; ++k) {
                    const bool wanted =
                        node_time(line, field.start_time, k, tau[k]) <= static_cast<Real>(until);
                    if (!wanted) tau[k] = std::numeric_limits<Real>::infinity();
                }
            }
        }
    });
}

void require_all_times(const EikonalOptions& options, std::string_view what) {
    if (options.until == std::numeric_limits<double>::infinity()) return;
    throw InputError(
        fmt::format("until is {:g} (it is for fields on nodes; {})", options.until, what));
}

template <class Real>
BasicTimeField<Real> solve_factored(const Model& model, FactoredSource source, double start_time,
                                    const EikonalOptions& options, const Execution& execution) {
    const int threads = resolve_threads(execution.threads);
    require_crossing_time(model.grid(), source);
    source.until = wanted_until(options, start_time);
    BasicTimeField<Real> field{model.grid(), source, start_time, {}};
    constexpr bool single = std::is_same_v<Real, float>;
    const bool device =
        on_cuda(options, execution.device, model, single ? Precision::single : Precision::full);
    if constexpr (single) {
        if (device) {
            CudaFim fim(model, options.order, 1);
            fim.solve(std::span(&source, 1));
            field.tau = allocate_field<float>(model.grid().shape);
            fim.download(0, field.tau.view());
            require_resolved<float>(model, source, field.tau.view(), threads);
            cut_late_times(field, options.until, threads);
            return field;
        }
    }
    field.tau = solve_tau<Real>(model, source, options, threads, execution.monitor);
    if (options.solver != Solver::vidale) mark_unreached(field.tau.view(), threads);
    cut_late_times(field, options.until, threads);
    return field;
}

template Field<float> allocate_field(Shape);
template Field<double> allocate_field(Shape);
template void mark_unreached(FieldView<float>, int);
template void mark_unreached(FieldView<double>, int);
template void cut_late_times(BasicTimeField<float>&, double, int);
template void cut_late_times(BasicTimeField<double>&, double, int);
template TimeField solve_factored(const Model&, FactoredSource, double, const EikonalOptions&,
                                  const Execution&);
template BasicTimeField<double> solve_factored(const Model&, FactoredSource, double,
                                               const EikonalOptions&, const Execution&);

}  // namespace fermat
