#include "tomography/adjoint/lbfgs.hpp"

#include <numeric>
#include <utility>

namespace fermat {

double inner(std::span<const double> a, std::span<const double> b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void Lbfgs::remember(Pair pair) {
    pairs_.push_back(std::move(pair));
    if (pairs_.size() > most_pairs) pairs_.pop_front();
}

Lbfgs::Vector Lbfgs::direction(const Vector& gradient, const Apply& roughness,
                               const Apply& precondition) const {
    struct Turn {
        const Vector& step;
        Vector change;
        double inverse = 0;  ///< 1 / (s y)
        double part = 0;
    };
    std::vector<Turn> turns;
    for (const Pair& pair : pairs_) {
        Vector change = roughness(pair.step);
        for (std::size_t n = 0; n < change.size(); ++n) change[n] += pair.change[n];
        const double curvature = inner(pair.step, change);
        if (curvature > 0) turns.push_back({pair.step, std::move(change), 1 / curvature, 0});
    }
    const auto add = [](Vector& to, double factor, const Vector& from) {
        for (std::size_t n = 0; n < to.size(); ++n) to[n] += factor * from[n];
    };
    Vector q = gradient;
    for (auto turn = turns.rbegin(); turn != turns.rend(); ++turn) {
        turn->part = turn->inverse * inner(turn->step, q);
        add(q, -turn->part, turn->change);
    }
    q = precondition(q);
    for (const Turn& turn : turns) {
        const double part = turn.inverse * inner(turn.change, q);
        add(q, turn.part - part, turn.step);
    }
    for (double& value : q) value = -value;
    return q;
}

}  // namespace fermat
