#include "eikonal/adjoint/receiver_hats.hpp"

#include <algorithm>

#include "eikonal/reached_corners.hpp"

namespace fermat {

ReceiverHats::ReceiverHats(const Grid& grid, std::span<const Vec3> receivers,
                           const std::function<bool(Index3)>& reached)
    : positions_(receivers.begin(), receivers.end()), begin_(1, 0) {
    for (const Vec3& receiver : receivers) {
        const Index3 cell = locate(grid, receiver).cell;
        for_each_hat(grid, receiver, [&](Index3 node, double weight, Vec3 gradient) {
            const auto add = [&](Index3 of, double share) {
                hats_.push_back({grid.shape.offset(of), share * weight, share * gradient});
            };
            const bool own = !reached || reached(node);
            if (own || !for_each_continued(grid, cell, node, reached, add)) add(node, 1);
        });
        begin_.push_back(hats_.size());
    }
    for (const ReceiverHat& hat : hats_) nodes_.push_back(hat.slot);
    std::sort(nodes_.begin(), nodes_.end());
    nodes_.erase(std::unique(nodes_.begin(), nodes_.end()), nodes_.end());
    for (ReceiverHat& hat : hats_) {
        const auto at = std::lower_bound(nodes_.begin(), nodes_.end(), hat.slot);
        hat.slot = static_cast<std::size_t>(at - nodes_.begin());
    }
}

ReceiverHats::BySlot ReceiverHats::by_slot() const {
    BySlot out;
    out.begin.assign(nodes_.size() + 1, 0);
    for (const ReceiverHat& hat : hats_) ++out.begin[hat.slot + 1];
    for (std::size_t n = 0; n < nodes_.size(); ++n) out.begin[n + 1] += out.begin[n];
    out.beside.resize(hats_.size());
    std::vector<std::size_t> next(out.begin.begin(), out.begin.end() - 1);
    for (std::size_t r = 0; r + 1 < begin_.size(); ++r) {
        for (std::size_t n = begin_[r]; n < begin_[r + 1]; ++n) {
            out.beside[next[hats_[n].slot]++] = {static_cast<std::uint32_t>(r), hats_[n].weight};
        }
    }
    return out;
}

}  // namespace fermat
