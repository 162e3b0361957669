#include "location/edt.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fermat {
namespace {

/// The variance of origin times cannot make a place less likely than this.
constexpr double least_log_factor = -11.512925464970229;  // log(1e-5)
/// Pairs that disagree by more standard deviations than the root of this count for nothing.
constexpr double hopeless = 80;

struct Sums {
    double pairs = 0;          ///< of the probabilities of pairs
    double first_moment = 0;   ///< of origin times, weighted by them, from the first one
    double second_moment = 0;  ///< of the squares
    double variance = 0;       ///< of picks
    double count = 0;
    double first = 0;

    double mean() const { return first_moment / pairs; }
    double log_factor() const {
        if (!(pairs > 0)) return least_log_factor;
        const double spread = std::max(second_moment / pairs - mean() * mean(), 0.0);
        return -spread * count / variance;
    }
};

/// Calls visit(a, b, p, w2) for each pair with its probability p and w2 = 1 / (s_a^2 + s_b^2), and
/// end(a, sum of p) after the pairs of a with later picks.
template <class Visit, class End>
void for_each_pair(std::span<const EdtTerm> terms, Visit visit, End end) {
    for (std::size_t a = 0; a < terms.size(); ++a) {
        if (!std::isfinite(terms[a].origin)) continue;
        double row = 0;
        const double own = terms[a].variance;
        const double wide = own + terms[a].spread2;
        for (std::size_t b = a + 1; b < terms.size(); ++b) {
            const double off = terms[a].origin - terms[b].origin;
            const double square = off * off;
            const double sum = wide + terms[b].variance + terms[b].spread2;
            if (!(square < hopeless * sum)) continue;
            // The factor is not widened: a wide cell may hold a place as likely as any narrow one.
            const double p = std::exp(-0.5 * square / sum) / std::sqrt(own + terms[b].variance);
            row += p;
            visit(a, b, p, 1 / sum);
        }
        end(a, row);
    }
}

template <class Visit>
Sums sum_pairs(std::span<const EdtTerm> terms, Visit visit) {
    Sums sums;
    bool any = false;
    for_each_pair(terms, visit, [&](std::size_t a, double row) {
        if (!any) sums.first = terms[a].origin;
        any = true;
        const double later = terms[a].origin - sums.first;
        sums.pairs += row;
        sums.first_moment += row * later;
        sums.second_moment += row * later * later;
        sums.variance += terms[a].variance + terms[a].spread2;
        sums.count += 1;
    });
    return sums;
}

}  // namespace

double edt_log_density(std::span<const EdtTerm> terms) {
    const Sums sums = sum_pairs(terms, [](std::size_t, std::size_t, double, double) {});
    if (sums.count == 0) return -std::numeric_limits<double>::infinity();
    constexpr double none = 1e-200;
    return sums.count * std::log(std::max(sums.pairs, none)) +
           std::max(sums.log_factor(), least_log_factor);
}

EdtSlopes edt_slopes(std::span<const EdtTerm> terms) {
    const std::size_t n = terms.size();
    EdtSlopes out;
    out.by_origin.assign(n, 0);
    out.pairs.assign(n * n, 0);
    std::vector<double> rows(n, 0);
    const Sums sums = sum_pairs(terms, [&](std::size_t a, std::size_t b, double p, double w2) {
        out.pairs[a * n + b] = p * w2;
        rows[a] += p;
    });
    if (!(sums.pairs > 0)) return out;
    const double scale = sums.count / sums.pairs;
    for (std::size_t a = 0; a < n; ++a) {
        for (std::size_t b = a + 1; b < n; ++b) {
            double& pair = out.pairs[a * n + b];
            if (pair == 0) continue;
            pair *= scale;
            const double pull = pair * (terms[a].origin - terms[b].origin);
            out.by_origin[a] -= pull;
            out.by_origin[b] += pull;
        }
    }
    if (sums.log_factor() <= least_log_factor) return out;
    const double factor = 2 * sums.count / sums.variance / sums.pairs;
    for (std::size_t a = 0; a < n; ++a) {
        if (rows[a] == 0) continue;
        out.by_origin[a] -= factor * rows[a] * (terms[a].origin - sums.first - sums.mean());
    }
    return out;
}

}  // namespace fermat
