#pragma once

#include <span>
#include <string>
#include <string_view>

#include "location/locate.hpp"
#include "model/layered_medium.hpp"

namespace fermat {

/// Finds where and when events were in a layered medium, from picks of named phases (branch.hpp):
/// `phases` has a name per arrival. First the earliest of P, Pg, Pn (and of S) of each station
/// finds a place, as in locate(), and so do Pg and Sg alone in the crust continued below the Moho.
/// From these places, and from other depths below the best of them, Gauss-Newton steps over the
/// times of all branches and their derivatives by the place climb to the largest probability; the
/// covariance is that of the last step. Errors of picks and model are those that locate() finds or
/// is given; with errors that stations share the last steps and the covariance know it.
///
/// Picks of phases that the medium does not have, and those whose phase has no ray at the place
/// that was found, are counted and named. Throws InputError for options that need fields of all
/// phases: samples, station terms and weights by distance.
Catalogue locate_phases(const LayeredMedium& medium, const Survey& survey,
                        std::span<const std::string> phases, const LocateOptions& options = {},
                        const Surface* surface = nullptr, const Execution& execution = {},
                        Notes* notes = nullptr);

/// Whether a phase may come first: P, Pg, Pn, Pb and those of S.
bool may_come_first(std::string_view name);
/// Whether picks name other phases than P and S.
bool any_named(std::span<const std::string> phases);

}  // namespace fermat
