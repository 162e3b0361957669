#pragma once

#include <vector>

namespace fermat {

/// Times that belong to a shot or a receiver and not to the ground: a trigger that is late, slow
/// soil that no grid resolves.
struct PickTerms {
    std::vector<double> shot;          ///< per source, or empty
    std::vector<double> receiver;      ///< per receiver, or empty; of P where there are P and S
    std::vector<double> receiver_s{};  ///< the same of S, or empty
    std::vector<double> common{};      ///< one number that all picks share, or empty
};

}  // namespace fermat
