#pragma once

#include "core/choice.hpp"
#include "model/model.hpp"
#include "rays/ray_set.hpp"
#include "rays/sensitivity.hpp"

namespace fermat {

/// A parameter of anisotropy on the nodes: Thomsen's, or an entry of the tensor of an elliptical
/// medium. xy stands for the entries xy and yx together, which are equal.
enum class AnisotropyParameter { epsilon, delta, xx, yy, zz, xy, xz, yz };
template <>
inline constexpr auto choices<AnisotropyParameter> =
    choice_table<AnisotropyParameter>("parameter", {{"epsilon", AnisotropyParameter::epsilon},
                                                    {"delta", AnisotropyParameter::delta},
                                                    {"xx", AnisotropyParameter::xx},
                                                    {"yy", AnisotropyParameter::yy},
                                                    {"zz", AnisotropyParameter::zz},
                                                    {"xy", AnisotropyParameter::xy},
                                                    {"xz", AnisotropyParameter::xz},
                                                    {"yz", AnisotropyParameter::yz}});

/// The derivative of the times of rays by a parameter of anisotropy at each node, with velocity and
/// the other parameters kept. By Fermat's principle the rays need not move. Rays that did not
/// arrive have empty rows. Throws InputError if the model has no such parameter.
SparseRows anisotropy_sensitivity(const Model& model, const RaySet& rays,
                                  AnisotropyParameter parameter, int threads = 0);

}  // namespace fermat
