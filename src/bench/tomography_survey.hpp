#pragma once

#include "core/monitor.hpp"
#include "model/model.hpp"
#include "survey/survey.hpp"

namespace fermat::bench {

/// A start model, and picks of a model with anomalies of 8 %, with Gaussian noise.
struct TomographySurvey {
    Model start;
    Survey picks;
    double noise = 0;  ///< seconds
};

/// The size of paper 4's Potrillo experiment: 207 x 77 x 26 nodes, 8 shots, or fewer, and 793
/// receivers.
TomographySurvey potrillo_survey(int threads, Monitor& monitor, int shots = 8);

/// Local earthquakes: a cube of about so many nodes, events inside and a fifth as many stations on
/// its top, so that there are about so many picks.
TomographySurvey local_survey(int nodes, int picks, int threads, Monitor& monitor);

}  // namespace fermat::bench
