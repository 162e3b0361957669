#include "eikonal/adjoint/source_starts.hpp"

#include <algorithm>

#include "eikonal/adjoint/hat.hpp"

namespace fermat {
namespace {

/// Calls visit(point, weight, part of the source's position in the point) for the places and
/// weights of mean_slowness in factored_source.cpp.
template <class Visit>
void for_each_sample(Vec3 from, Vec3 to, Visit visit) {
    constexpr double weights[] = {1, 4, 2, 4, 1};
    for (int i = 0; i < 5; ++i) {
        const double along = i / 4.0;
        visit(from + along * (to - from), weights[i] / 12, 1 - along);
    }
}

}  // namespace

SourceStarts::SourceStarts(const Model& model, const NodeSlowness& slowness, Vec3 source)
    : grid_(model.grid()), slowness_(slowness), source_(factor_source(model, source)) {
    for (const StartNode& start : source_.starts) {
        offsets_.push_back(grid_.shape.offset(start.node));
    }
    std::sort(offsets_.begin(), offsets_.end());
}

bool SourceStarts::holds(std::size_t node) const {
    if (offsets_.empty() || node < offsets_.front() || node > offsets_.back()) return false;
    return std::binary_search(offsets_.begin(), offsets_.end(), node);
}

Index3 SourceStarts::index_of(std::size_t node) const {
    const auto z = static_cast<std::size_t>(grid_.shape.z);
    const auto y = static_cast<std::size_t>(grid_.shape.y);
    return {static_cast<int>(node / (y * z)), static_cast<int>(node / z % y),
            static_cast<int>(node % z)};
}

double SourceStarts::mean_slowness(std::size_t node) const {
    double mean = 0;
    for_each_sample(source_.position, grid_.position(index_of(node)),
                    [&](Vec3 point, double weight, double) {
                        mean += weight * hat_value(grid_, point, slowness_).value;
                    });
    return mean;
}

double SourceStarts::source_slowness() const {
    return hat_value(grid_, source_.position, slowness_).value;
}

Vec3 SourceStarts::derivative(std::size_t node,
                              const std::function<void(std::size_t, double)>& by_node) const {
    Vec3 by_source;
    for_each_sample(source_.position, grid_.position(index_of(node)),
                    [&](Vec3 point, double weight, double part) {
                        const HatValue at = hat_value(grid_, point, slowness_);
                        by_source = by_source + (weight * part) * at.gradient;
                        for_each_hat(grid_, point, [&](Index3 n, double hat, Vec3) {
                            if (hat == 0 || !std::isfinite(slowness_(n))) return;
                            by_node(grid_.shape.offset(n), weight * hat / at.weights);
                        });
                    });
    return by_source;
}

}  // namespace fermat
