#pragma once

#include "core/grid.hpp"

namespace fermat::test {

/// Four units wide, with n nodes along an axis and a corner that is no origin.
inline Grid flat_grid(int n) {
    return {{n, 1, n}, {0.5, 0, -1}, {4.0 / (n - 1), 1, 4.0 / (n - 1)}};
}
inline Grid cube_grid(int n) {
    const double h = 2.0 / (n - 1);
    return {{n, n, n}, {0, 1, 0}, {h, h, h}};
}

}  // namespace fermat::test
