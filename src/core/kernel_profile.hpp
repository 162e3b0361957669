#pragma once

#include <array>
#include <string>

namespace fermat {

/// How a kernel fills the CUDA device in use, as in paper 4's Tables 8 and 14.
struct KernelProfile {
    std::string kernel;
    std::array<int, 3> grid{};   ///< blocks
    std::array<int, 3> block{};  ///< threads
    int registers = 0;           ///< per thread
    int shared_bytes = 0;        ///< per block
    int blocks = 0;              ///< that a multiprocessor can hold at a time
    int most_blocks = 0;         ///< of any kernel
    int most_threads = 0;        ///< of a multiprocessor
    int multiprocessors = 0;
    std::string limit;  ///< what allows no more blocks: "registers", "shared memory", ...

    int threads_per_block() const { return block[0] * block[1] * block[2]; }
    /// Threads of this kernel that a multiprocessor can hold, over those of which it has room.
    double occupancy() const {
        return static_cast<double>(blocks) * threads_per_block() / most_threads;
    }
    /// Multiprocessors that get a block of the grid, over all of them.
    double busy() const {
        const double all = static_cast<double>(grid[0]) * grid[1] * grid[2] / multiprocessors;
        return all < 1 ? all : 1;
    }
};

}  // namespace fermat
