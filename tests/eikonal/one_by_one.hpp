#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "causal_order.hpp"
#include "eikonal/adjoint/node_scheme.hpp"

namespace fermat::test {

/// lambda of all nodes: each hands on what has come to it, the latest first, until all is done.
template <int Dim, int Order, class Real>
std::vector<double> one_by_one(const NodeScheme<Real, Dim, Order>& scheme,
                               const BasicTimeField<Real>& field, const SourceStarts& starts,
                               std::vector<double> rest) {
    const Shape shape = field.grid.shape;
    const std::ptrdiff_t strides[3] = {std::ptrdiff_t{shape.y} * shape.z, shape.z, 1};
    std::vector<double> lambda(rest.size(), 0.0);
    const auto order = latest_first(causal_times(field.view()));
    for (bool again = true; again;) {
        again = false;
        for (const std::uint32_t node : order) {
            const double by = rest[node];
            if (std::abs(by) <= 1e-17 * std::abs(lambda[node])) continue;
            lambda[node] += by;
            rest[node] = 0;
            again = true;
            if (starts.holds(node)) continue;
            const auto single = scheme.single(node, scheme.index_of(node));
            for (int d = 0; d < Dim; ++d) {
                const AxisDerivative<>& part = single.by.axis[d];
                const std::ptrdiff_t step =
                    strides[Dim == 2 ? 2 * d : d] * (part.from_low ? -1 : 1);
                if (part.near != 0) rest[node + static_cast<std::size_t>(step)] += by * part.near;
                if (part.far != 0) rest[node + static_cast<std::size_t>(2 * step)] += by * part.far;
            }
        }
    }
    return lambda;
}

}  // namespace fermat::test
