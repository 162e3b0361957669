#include "location/posterior.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace fermat {
namespace {

struct Draw {
    Vec3 place;
    double log_density = 0;
    double weight = 0;
};

/// Places drawn from the cells by their mass; weights are what the density has over its cell's.
std::vector<Draw> draw_from(const std::vector<TreeCell>& cells, const Likelihood& likelihood,
                            const Region& region, std::size_t count, RandomStream& random,
                            Likelihood::Work& work) {
    double heaviest = -std::numeric_limits<double>::infinity();
    for (const TreeCell& cell : cells) heaviest = std::max(heaviest, cell.log_mass);
    std::vector<double> sums;
    double total = 0;
    for (const TreeCell& cell : cells) sums.push_back(total += std::exp(cell.log_mass - heaviest));
    std::vector<Draw> draws;
    std::vector<double> log_weight;
    const double offset = random.uniform();
    std::size_t at = 0;
    for (std::size_t n = 0; n < count; ++n) {
        const double mark = (static_cast<double>(n) + offset) / static_cast<double>(count) * total;
        while (at + 1 < cells.size() && sums[at] <= mark) ++at;
        Draw draw;
        for (int axis = 0; axis < 3; ++axis) {
            draw.place[axis] =
                cells[at].middle[axis] + cells[at].half[axis] * (2 * random.uniform() - 1);
        }
        if (!region.allows(draw.place)) continue;
        draw.log_density = likelihood.at(draw.place, 0, work).log;
        log_weight.push_back(draw.log_density - cells[at].log_density);
        draws.push_back(draw);
    }
    double largest = -std::numeric_limits<double>::infinity();
    for (const double weight : log_weight) largest = std::max(largest, weight);
    for (std::size_t n = 0; n < draws.size(); ++n) {
        draws[n].weight = std::isfinite(largest) ? std::exp(log_weight[n] - largest) : 1;
    }
    return draws;
}

/// The log density above which a share of the places lies.
double level(std::vector<double> log_density, double share) {
    std::sort(log_density.begin(), log_density.end(), std::greater<>());
    const auto n = static_cast<std::size_t>(share * static_cast<double>(log_density.size()));
    return log_density[std::min(n, log_density.size() - 1)];
}

void summarise(Posterior& posterior) {
    const auto count = static_cast<double>(posterior.places.size());
    for (const Vec3 place : posterior.places) posterior.mean = posterior.mean + place / count;
    for (const Vec3 place : posterior.places) {
        const Vec3 off = place - posterior.mean;
        for (int a = 0; a < 3; ++a) {
            for (int b = 0; b < 3; ++b) {
                posterior.covariance[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)] +=
                    off[a] * off[b] / count;
            }
        }
    }
    posterior.least_68 = level(posterior.log_density, 0.68);
    posterior.least_95 = level(posterior.log_density, 0.95);
}

}  // namespace

Posterior sample_posterior(const Likelihood& likelihood, const Region& region,
                           std::vector<TreeCell> first, int tree_cells, int count,
                           RandomStream& random, Likelihood::Work& work) {
    const std::vector<TreeCell> cells =
        grow_tree(likelihood, region, std::move(first), {tree_cells, 0}, work);
    Posterior posterior;
    if (cells.empty()) return posterior;
    constexpr std::size_t draws_per_sample = 4;
    const auto wanted = static_cast<std::size_t>(count);
    const std::vector<Draw> draws =
        draw_from(cells, likelihood, region, draws_per_sample * wanted, random, work);
    double total = 0;
    double squares = 0;
    for (const Draw& draw : draws) {
        total += draw.weight;
        squares += draw.weight * draw.weight;
    }
    if (!(total > 0)) return posterior;
    posterior.effective = std::min(static_cast<double>(count), total * total / squares);
    const double offset = random.uniform();
    double sum = draws.front().weight;
    std::size_t at = 0;
    for (std::size_t n = 0; n < wanted; ++n) {
        const double mark = (static_cast<double>(n) + offset) / static_cast<double>(wanted) * total;
        while (at + 1 < draws.size() && sum <= mark) sum += draws[++at].weight;
        posterior.places.push_back(draws[at].place);
        posterior.log_density.push_back(draws[at].log_density);
    }
    summarise(posterior);
    return posterior;
}

}  // namespace fermat
