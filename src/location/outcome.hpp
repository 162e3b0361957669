#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/notes.hpp"
#include "location/catalogue.hpp"
#include "location/options.hpp"

namespace fermat {

/// The last word on the events of a location, whatever found their places: which are places by
/// chance, how good the others are, and what the user is told of both.
class Outcome {
  public:
    /// `slowness` is typical of P; it tells whether lengths are km or m.
    Outcome(const LocateOptions& options, double slowness, std::size_t events);

    /// Forgets a place that fewer picks agree with than an event needs, and gives others their
    /// quality: C at best where more than a quarter of the picks contradict the place. `depth` is
    /// below the ground. May be called for several events at once.
    void settle(std::size_t number, std::span<const std::int32_t> arrivals, double depth,
                Hypocentre& event, std::vector<PickFit>& fits);

    void tell(const Catalogue& catalogue, Notes& notes) const;

  private:
    int least_picks_;
    double kilometre_;                ///< how many lengths of the model a km has
    std::vector<char> contradicted_;  ///< per event
    int sectors_;                     ///< of azimuth whose picks count alike; 0: none
    std::vector<char> one_sided_;     ///< per event: its picks lie in one sector
};

}  // namespace fermat
