#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "io/model_formats.hpp"
#include "io/number_lines.hpp"

namespace fermat {
namespace {

/// Numbers one after another, whatever their lines.
class NumberStream {
  public:
    explicit NumberStream(const TextFile& file) : lines_(file) {}

    double next(std::string_view what) {
        if (at_ == words_.size()) {
            words_ = lines_.need(what);
            at_ = 0;
        }
        return lines_.finite(words_, at_++, what);
    }
    std::size_t count(std::string_view what) {
        if (at_ == words_.size()) {
            words_ = lines_.need(what);
            at_ = 0;
        }
        return lines_.count(words_, at_++, what);
    }
    std::vector<double> take(std::size_t count, std::string_view what) {
        std::vector<double> values(count);
        for (double& value : values) value = next(what);
        return values;
    }
    NumberLines& lines() { return lines_; }

  private:
    NumberLines lines_;
    std::vector<std::string_view> words_{};
    std::size_t at_ = 0;
};

/// Where a coordinate lies between those of nodes: the node before it, and the part of the step.
std::pair<std::size_t, double> place_among(const std::vector<double>& nodes, double at) {
    const auto after = std::upper_bound(nodes.begin() + 1, nodes.end() - 1, at);
    const auto n = static_cast<std::size_t>(after - nodes.begin()) - 1;
    const double part = (at - nodes[n]) / (nodes[n + 1] - nodes[n]);
    return {n, std::clamp(part, 0.0, 1.0)};
}

void require_growth(const NumberLines& lines, const std::vector<double>& nodes,
                    std::string_view what) {
    for (std::size_t n = 1; n < nodes.size(); ++n) {
        if (nodes[n] > nodes[n - 1]) continue;
        lines.fail(fmt::format("{} {} follows {} (they must grow)", what, nodes[n], nodes[n - 1]));
    }
}

/// tomo2d's mesh (Korenaga et al. 2000), in km and km/s: numbers of nodes along x and z, the
/// velocities of water and of air, x of the columns, the depth of the ground below each, depths of
/// nodes below the ground, then the velocities of each column downwards. Above the ground lies
/// water where the depth is > 0, and air else.
Model read_smesh(const TextFile& file, const ModelFileOptions& options, Notes& notes) {
    NumberStream numbers(file);
    const std::size_t columns = numbers.count("the number of columns");
    const std::size_t rows = numbers.count("the number of rows");
    const double water = numbers.next("the velocity of water");
    numbers.next("the velocity of air");
    if (columns < 2 || rows < 2 || columns * rows > file.text().size()) {
        numbers.lines().fail(
            fmt::format("the mesh has {} columns and {} rows (both must be > 1 "
                        "and their values must fit the file)",
                        columns, rows));
    }
    const std::vector<double> x = numbers.take(columns, "x of a column");
    require_growth(numbers.lines(), x, "x");
    const std::vector<double> ground = numbers.take(columns, "the depth of the ground");
    const std::vector<double> z = numbers.take(rows, "the depth of a row");
    require_growth(numbers.lines(), z, "the depth");
    const std::vector<double> velocity = numbers.take(columns * rows, "a velocity");
    const auto [highest, lowest] = std::minmax_element(ground.begin(), ground.end());
    const double top = std::min(*highest, 0.0);
    const auto at = [&](double across, double depth) {
        const auto [n, part] = place_among(x, across);
        const double below = depth - ((1 - part) * ground[n] + part * ground[n + 1]);
        if (below < -1e-9 * (z.back() - z.front())) return depth >= 0 ? water : 0.0;
        const auto [k, down] = place_among(z, below);
        const auto along = [&](std::size_t column) {
            const double* const v = &velocity[column * rows + k];
            return (1 - down) * v[0] + down * v[1];
        };
        return (1 - part) * along(n) + part * along(n + 1);
    };
    return sampled_section(file, {x.front(), 0, top}, {x.back(), 0, *lowest + z.back()},
                           "columns that hang from the ground", at, options, notes);
}

}  // namespace

const ModelFormat smesh_model{".smesh",
                              ToldOfModel::grid,
                              true,
                              [](const TextFile& file) {
                                  return lower_input_name(file.path()).find("smesh") !=
                                         std::string::npos;
                              },
                              read_smesh,
                              nullptr,
                              "",
                              false};

}  // namespace fermat
