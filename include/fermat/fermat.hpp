#pragma once

// All that a program needs of Fermat: models, traveltimes, rays and tomography, and their files.
// What this header names is public; headers beneath those may change (headers.txt lists all that
// are installed).

#include "core/error.hpp"
#include "core/execution.hpp"
#include "core/version.hpp"
#include "eikonal/adjoint/adjoint.hpp"
#include "eikonal/eikonal.hpp"
#include "graph/options.hpp"
#include "io/geometry.hpp"
#include "io/model_io.hpp"
#include "location/locate.hpp"
#include "location/relocate.hpp"
#include "model/analytic.hpp"
#include "model/makers.hpp"
#include "model/medium.hpp"
#include "model/model.hpp"
#include "model/topography.hpp"
#include "rays/rays.hpp"
#include "rays/sensitivity.hpp"
#include "survey/survey.hpp"
#include "times/times.hpp"
#include "tomography/doubts.hpp"
#include "tomography/invert.hpp"
#include "tomography/smoothing/smoothing.hpp"
#include "tomography/start/set_up.hpp"
#include "tomography/synthetic.hpp"
#include "tomography/trust/ensemble.hpp"
#include "tomography/trust/trust.hpp"
