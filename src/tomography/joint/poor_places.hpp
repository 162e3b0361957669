#pragma once

#include <optional>
#include <string>

#include "core/execution.hpp"
#include "model/medium.hpp"
#include "survey/survey.hpp"
#include "tomography/joint/options.hpp"

namespace fermat {

/// Steps from a poor place lead astray, where a search over the whole model finds a good one. A
/// sentence that says so, if places that locate() finds in the start model explain the picks much
/// better than the given ones do, each with its best origin time. Events that are known, have few
/// picks or come to lie at a face do not count; believed places (`prior`) are not doubted, nor are
/// those of runs whose fields would take more than a gigabyte.
std::optional<std::string> poor_places(const Medium& medium, const Survey& picks,
                                       const JointOptions& options, const Execution& execution);

}  // namespace fermat
