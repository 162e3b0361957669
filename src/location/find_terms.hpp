#pragma once

#include "core/monitor.hpp"
#include "core/notes.hpp"
#include "location/event_job.hpp"

namespace fermat {

/// Station terms of a survey: events are located, terms are the means of residuals, and so on until
/// both stand. Terms that depend on the place (TermSearch::by_place) come after fixed ones, with
/// radii that shrink from that of the whole seismicity to LocateOptions::term_radius, or to the
/// distance within which half of the events have ten others.
///
/// Starts from the terms of `job.corrections` and leaves there what it found for each arrival.
/// A limit of rounds that ends the search is noted.
DelayTerms find_terms(LocateJob& job, const ArrivalLists& lists, int threads, Monitor& monitor,
                      Notes& notes);

/// Sets the corrections of a job to given terms: at once where they are fixed, else from where the
/// events come to lie.
void use_terms(LocateJob& job, const ArrivalLists& lists, const DelayTerms& terms, int threads,
               Monitor& monitor);

}  // namespace fermat
