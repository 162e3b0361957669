#include <cstdio>
#include <utility>

#include "core/device.hpp"
#include "core/error.hpp"
#include "core/version.hpp"
#include "model/model.hpp"

int main() {
    const fermat::Grid grid{{3, 1, 4}, {}, {1, 1, 1}};
    const fermat::Model model(grid, fermat::Field<float>(grid.shape, 2.0F));
    try {
        const fermat::Model bad(grid, fermat::Field<float>(grid.shape, -1.0F));
        return 1;
    } catch (const fermat::InputError&) {
        // An exception of the installed library keeps its type.
    }
    if (fermat::device_count() < 0 || fermat::slowness_at(model, {1.5, 0, 2.5}) != 0.5) return 1;
    std::printf("fermat %s\n", fermat::version.data());
    return 0;
}
