#pragma once

#include "core/execution.hpp"
#include "core/notes.hpp"
#include "location/catalogue.hpp"
#include "location/options.hpp"
#include "model/medium.hpp"
#include "model/topography.hpp"
#include "survey/survey.hpp"

namespace fermat {

/// Finds where and when the events of a survey were, from the times of their arrivals alone. Times
/// of travel are read from one field per station and model. The best place is looked for in all of
/// the box by an oct-tree, then found by Gauss-Newton steps; see Likelihood for what is best.
///
/// Positions of events are used only where options keep them or believe in them; NaN means not
/// known. Origin times of events are not used. Events lie below `surface`, if there is one, and not
/// in air. The model's error, if it is not given, is found from the residuals of up to 300 events.
///
/// Notes tell of picks that were not used and of events that were not located. Results have the
/// same bits for any number of threads. Throws InputError where a position is needed and not known.
Catalogue locate(const Medium& medium, const Survey& survey, const LocateOptions& options = {},
                 const Surface* surface = nullptr, const Execution& execution = {},
                 Notes* notes = nullptr);

/// Numbers of the arrivals of located events that are not gross (PickFit::weight at least 0.5) and
/// not before their event.
std::vector<std::int32_t> trusted_arrivals(const Survey& survey, const Catalogue& catalogue);

/// The survey with the positions and origin times that were found. Events that were not located and
/// arrivals of gross errors (PickFit::weight below 0.5) are left out.
Survey relocated(const Survey& survey, const Catalogue& catalogue);

}  // namespace fermat
