#include "eikonal/adjoint/exact_field.hpp"

#include "core/parallel.hpp"
#include "eikonal/adjoint/source_starts.hpp"
#include "eikonal/fim/fim.hpp"
#include "eikonal/resolution.hpp"
#include "eikonal/solve_factored.hpp"

namespace fermat {

BasicTimeField<double> solve_exactly(const Model& model, const NodeSlowness& slowness,
                                     const PointSource& source, const EikonalOptions& options,
                                     const Execution& execution) {
    if (!slowness.is_exact()) {
        return solve<double>(model, source, options, execution.on(Device::cpu));
    }
    const int threads = resolve_threads(execution.threads);
    const Grid& grid = model.grid();
    const SourceStarts starts(model, slowness, source.position);
    FactoredSource factored = starts.factored();
    factored.slowness = starts.source_slowness();
    for (StartNode& start : factored.starts) {
        start.tau = starts.mean_slowness(grid.shape.offset(start.node)) / factored.slowness;
    }
    require_crossing_time(grid, factored);
    BasicTimeField<double> field{grid, factored, source.start_time,
                                 allocate_field<double>(grid.shape)};
    const FieldView<double> tau = field.tau.view();
    fim_solve<double>(model, factored, options.order, threads, tau, execution.monitor,
                      slowness.exact());
    require_resolved<double>(model, factored, tau, threads);
    mark_unreached(tau, threads);
    return field;
}

}  // namespace fermat
