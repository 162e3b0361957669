#include "bench/paper_schedule.hpp"

namespace fermat::bench {

std::vector<Stage> paper_schedule() {
    constexpr int iterations = 6;
    return {{iterations, {96, 24, 24}, {97, 25, 25}, 1, 1},
            {iterations, {48, 24, 16}, {49, 25, 17}, 1, 1},
            {iterations, {24, 12, 8}, {25, 13, 9}, 1, 1},
            {iterations, {12, 8, 6}, {13, 9, 7}, 1, 1},
            {iterations, {6, 4, 2}, {7, 5, 3}, 1, 1},
            {iterations, {4, 2, 2}, {5, 3, 3}, 1, 1}};
}

}  // namespace fermat::bench
