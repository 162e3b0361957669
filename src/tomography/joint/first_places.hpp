#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/execution.hpp"
#include "model/medium.hpp"
#include "survey/survey.hpp"
#include "tomography/joint/options.hpp"

namespace fermat {

/// Where the events of a run begin, and what is said of it.
struct FirstPlaces {
    /// Per event, x, y, z along the flat axes (mapping.hpp) and origin time from what was given;
    /// empty: all begin there.
    std::vector<std::array<double, 4>> shift;
    std::optional<std::string> choice;
    std::optional<std::string> warning;
};

/// Steps from a poor place lead astray, where a search over the whole start model finds a good one
/// (locate()). Left open, events begin where they are found if the picks fit those places much
/// better than the given ones, each with its best origin time. Known events stay, and so do those
/// that are not found inside the model. Places that are believed (`prior`) are not left, and events
/// are not searched where the fields of all stations would take most of the memory, which is said.
FirstPlaces first_places(const Medium& medium, const Survey& picks, const JointOptions& options,
                         const Execution& execution);

}  // namespace fermat
