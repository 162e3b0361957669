#pragma once

#include <cstdint>
#include <string>

#include "core/choice.hpp"
#include "core/execution.hpp"
#include "core/field.hpp"
#include "core/option.hpp"

namespace fermat {

/// How the mean over a moving box is made (paper 4). All give the same means; they differ in work.
enum class Smoother {
    basic,    ///< adds up the whole box of every element: the reference
    cached,   ///< keeps the sums of the box's slices across x while it moves along x
    table,    ///< differences of a summed volume table: the same time for every size
    running,  ///< running sums along z, y and x: the same time for every size; the default
};
template <>
inline constexpr auto choices<Smoother> = choice_table<Smoother>("smoother",
                                                                 {{"basic", Smoother::basic},
                                                                  {"cached", Smoother::cached},
                                                                  {"table", Smoother::table},
                                                                  {"running", Smoother::running}});

/// Elements of the moving box along x, y, z. An odd box lies centred on its element. An even box of
/// n reaches n/2 elements back and n/2 - 1 on: for cells it is centred on the cell's corner node of
/// lowest index, which is where the result of cell smoothing is applied (paper 4). Boxes are
/// clipped at the model's faces, so that any size from 1 on is right.
struct SmoothingSize {
    int x = 1;
    int y = 1;
    int z = 1;

    int operator[](int axis) const { return axis == 0 ? x : axis == 1 ? y : z; }

    friend bool operator==(const SmoothingSize&, const SmoothingSize&) = default;
};

/// "97x25x25".
std::string to_string(const SmoothingSize& size);

struct SmoothingOptions {
    Smoother smoother = Smoother::running;
    int passes = 1;  ///< how often the box passes over the whole; 0 leaves all as it is
};
inline bool is_pass_count(const int& passes) { return passes >= 0; }
template <>
inline constexpr auto options_of<SmoothingOptions> =
    std::tuple{Option{"smoother", &SmoothingOptions::smoother,
                      "method of the smoothing; all give the same means"},
               Option{"passes", &SmoothingOptions::passes, "how often the box passes over all",
                      Rule<int>{&is_pass_count, ">= 0"}}};

// Device `cuda` serves the smoothers table and running. `automatic` stays on the CPU, where a pass
// takes less time than the way to the device.

/// Throw InputError unless every length is >= 1 and passes are >= 0.
void validate(const SmoothingSize& size);
void validate(const SmoothingOptions& options);

/// Cell smoothing: sum of the perturbations in the box over sum of the coverage in it. In place:
/// `perturbations` comes as a sum over rays in each cell and leaves as the smoothed mean a ray.
/// Cells without any coverage in their box are left untouched. A further pass takes mean times
/// coverage for the sum of each cell. Values are finite, coverage is >= 0; the shapes are equal.
void smooth_cells(FieldView<double> perturbations, FieldView<const double> coverage,
                  const SmoothingSize& size, const SmoothingOptions& options = {},
                  const Execution& execution = {});

/// Vertex smoothing: the plain mean over the box, in place. Where `mask` is given (same shape),
/// nodes at which it is 0 (air) are left untouched and feed no mean. Values are finite.
void smooth_vertices(FieldView<double> values, const SmoothingSize& size,
                     const SmoothingOptions& options = {}, FieldView<const std::uint8_t> mask = {},
                     const Execution& execution = {});
void smooth_vertices(FieldView<float> values, const SmoothingSize& size,
                     const SmoothingOptions& options = {}, FieldView<const std::uint8_t> mask = {},
                     const Execution& execution = {});

}  // namespace fermat
