#pragma once

#include "location/options.hpp"
#include "model/medium.hpp"
#include "model/topography.hpp"
#include "survey/survey.hpp"

namespace fermat {

struct Catalogue;
struct Relocation;

// Events are searched and moved in flat coordinates (mapping.hpp), whose units are lengths.

/// Throws InputError for a surface of x and y in a model of latitudes and longitudes.
void require_surface_fits(const Medium& medium, const Surface* surface);

SearchBox flat_box(const Place& place);
Survey flat_survey(const Place& place, const Survey& survey);
LocateOptions flat_options(const Place& place, const LocateOptions& options);

/// Puts positions into the coordinates of users, and covariances and errors into true lengths.
void to_user(const Place& place, Catalogue& catalogue);
void to_user(const Place& place, Relocation& relocation);

}  // namespace fermat
