#include <utility>

#include "tomography/gauss_newton/cooling.hpp"
#include "tomography/gauss_newton/gauss_newton.hpp"

namespace fermat {

InversionState state_at(std::vector<double> unknowns, double lambda) {
    Cooling cooling(1, true);
    cooling.start(lambda);
    InversionState state;
    state.unknowns = std::move(unknowns);
    state.method_state = cooling.save();
    state.method_state.push_back(0);  // no damping
    state.history.emplace_back();
    state.history.back().passes = 1;
    return state;
}

}  // namespace fermat
