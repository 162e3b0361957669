#include <utility>

#include "tomography/gauss_newton/gauss_newton.hpp"

namespace fermat {

InversionState state_at(std::vector<double> unknowns, double lambda) {
    InversionState state;
    state.unknowns = std::move(unknowns);
    state.method.cooling.lambda = lambda;
    state.history.emplace_back();
    state.history.back().passes = 1;
    return state;
}

}  // namespace fermat
