#include "tomography/trust/start_edges.hpp"

#include <algorithm>
#include <cmath>

namespace fermat {

StartEdges::StartEdges(const std::vector<double>& log_start, Shape shape, Vec3 spacing)
    : shape_(shape), step_(spacing.z), jump_(log_start.size(), 0.0) {
    constexpr double edge = 0.5;  // over two cells; gradients of start models have less
    int with = 0;
    for (int i = 0; i < shape.x; ++i) {
        for (int j = 0; j < shape.y; ++j) {
            bool found = false;
            for (int k = 1; k + 1 < shape.z; ++k) {
                const double above = log_start[shape.offset({i, j, k - 1})];
                const double below = log_start[shape.offset({i, j, k + 1})];
                const double jump = std::fabs(below - above);
                if (!(jump > edge)) continue;
                jump_[shape.offset({i, j, k})] = jump;
                found = true;
            }
            with += found ? 1 : 0;
        }
    }
    any_ = 2 * with >= shape.x * shape.y;
}

double StartEdges::deviation_at(Index3 at, double length) const {
    constexpr double half = 0.5;
    const int rows = static_cast<int>(length / step_);
    double most = 0;
    for (int k = std::max(at.z - rows, 0); k <= std::min(at.z + rows, shape_.z - 1); ++k) {
        const double far = std::abs(k - at.z) * step_ / (length + step_);
        most = std::max(most, half * jump_[shape_.offset({at.x, at.y, k})] * (1 - far));
    }
    return most;
}

}  // namespace fermat
