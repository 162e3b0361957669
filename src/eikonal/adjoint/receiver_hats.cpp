#include "eikonal/adjoint/receiver_hats.hpp"

#include <algorithm>

namespace fermat {

ReceiverHats::ReceiverHats(const Grid& grid, std::span<const Vec3> receivers)
    : positions_(receivers.begin(), receivers.end()), begin_(1, 0) {
    for (const Vec3& receiver : receivers) {
        for_each_hat(grid, receiver, [&](Index3 node, double weight, Vec3 gradient) {
            hats_.push_back({grid.shape.offset(node), weight, gradient});
        });
        begin_.push_back(hats_.size());
    }
    for (const Hat& hat : hats_) nodes_.push_back(hat.slot);
    std::sort(nodes_.begin(), nodes_.end());
    nodes_.erase(std::unique(nodes_.begin(), nodes_.end()), nodes_.end());
    for (Hat& hat : hats_) {
        const auto at = std::lower_bound(nodes_.begin(), nodes_.end(), hat.slot);
        hat.slot = static_cast<std::size_t>(at - nodes_.begin());
    }
}

}  // namespace fermat
