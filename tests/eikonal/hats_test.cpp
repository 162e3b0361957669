// The nodes that are fetched round a receiver of a model on a device are all that its hats ask for.
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

#include "eikonal/adjoint/hats_cuda.hpp"

namespace fermat {
namespace {

bool holds(const NodeBox& box, Index3 node) {
    for (int axis = 0; axis < 3; ++axis) {
        if (node[axis] < box.first[axis] || node[axis] >= box.first[axis] + box.shape[axis]) {
            return false;
        }
    }
    return true;
}

TEST(Hats, AskOnlyForTheNodesRoundTheirReceiver) {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> uniform(0, 1);
    for (const Shape shape : {Shape{9, 1, 7}, Shape{6, 5, 8}, Shape{2, 2, 2}}) {
        const Grid grid{shape, {1, 2, 3}, {0.5, 1, 0.25}};
        for (int turn = 0; turn < 200; ++turn) {
            Vec3 receiver = grid.origin;
            for (int axis = 0; axis < 3; ++axis) {
                const double part = turn % 5 == 0 ? 1.0 : turn % 7 == 0 ? 0.0 : uniform(random);
                receiver[axis] += part * grid.extent()[axis];
            }
            std::set<std::size_t> air;
            for (std::size_t n = 0; n < shape.count(); ++n) {
                if (uniform(random) < 0.5) air.insert(n);
            }
            const NodeBox box = nodes_round(grid, receiver);
            const auto reached = [&](Index3 node) { return !air.contains(shape.offset(node)); };
            const auto fetched = [&](Index3 node) {
                EXPECT_TRUE(holds(box, node));
                return reached(node);
            };
            EXPECT_TRUE(holds({{0, 0, 0}, shape}, box.first));
            const std::vector<Vec3> one{receiver};
            EXPECT_EQ(ReceiverHats(grid, one, fetched).hats().size(),
                      ReceiverHats(grid, one, reached).hats().size());
        }
    }
}

}  // namespace
}  // namespace fermat
