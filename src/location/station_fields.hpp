#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/execution.hpp"
#include "core/notes.hpp"
#include "eikonal/metric/metric_field.hpp"
#include "location/options.hpp"
#include "model/medium.hpp"
#include "survey/survey.hpp"

namespace fermat {

/// Vp/Vs if it is the same everywhere (to the rounding of velocities): S waves then take the paths
/// of P waves, and their times are those of P times the ratio.
std::optional<double> constant_ratio(const Medium& medium);

/// Times from every station to all places, one field per station and model (reciprocity: few
/// stations hear many events). Where velocity depends on depth alone, a field is over distance and
/// depth: it is small, and its station may lie beside the model. If Vp/Vs is the same everywhere, P
/// and S share a field. Points are flat (mapping.hpp). The medium must live as long.
class StationFields {
  public:
    /// Solves the fields that the arrivals of a survey need. Stations in air or outside the model
    /// have none, which is noted with the number of their picks. Throws InputError for P and S
    /// arrivals in a medium of one velocity.
    StationFields(const Medium& medium, const Survey& survey, const LocateOptions& options,
                  const Execution& execution, Notes& notes);

    /// Number of the field of an arrival, or -1 if its station has none.
    int of(const Arrival& arrival) const {
        return numbers_[static_cast<std::size_t>(arrival.station)]
                       [static_cast<std::size_t>(arrival.phase)];
    }
    /// What times of a field of of() are multiplied by.
    double stretch(Phase phase) const { return phase == Phase::S ? ratio_ : 1; }
    std::size_t size() const { return places_.size(); }
    /// A field of a plain model as it was solved; with radial() its x is the distance from the
    /// station.
    const TimeFieldView<float>& view(int field) const {
        return views_[static_cast<std::size_t>(field)];
    }
    /// True if velocity depends on depth alone.
    bool radial() const { return radial_; }
    const SearchBox& box() const { return box_; }

    /// Times of some fields at a point of the box; infinite where no wave arrives.
    void times(std::span<const int> fields, Vec3 point, double* out) const;
    /// A time and its gradient.
    TimePoint time_point(int field, Vec3 point) const;
    /// East, north and down from one place to another, in lengths.
    Vec3 way(Vec3 from, Vec3 to) const { return place_.mapping().flat_way(from, to); }
    /// A direction of the gradient of time in lengths.
    Vec3 in_lengths(Vec3 place, Vec3 gradient) const;

  private:
    /// Solves the fields of stations in a model and adds them.
    void add(const Model& model, std::span<const Vec3> stations, const EikonalOptions& options,
             const Execution& execution, Notes& notes);
    void metric_times(std::span<const int> fields, Vec3 point, double* out) const;

    const Place& place_;
    bool plain_;
    std::vector<std::unique_ptr<const MetricField>> metric_fields_;
    std::vector<std::array<int, phase_count>> numbers_;  ///< [station][phase]
    std::vector<TimeField> fields_;
    std::vector<TimeFieldView<float>> views_;
    std::vector<Vec3> places_;  ///< of the station of each field
    std::vector<std::unique_ptr<const Model>> radial_models_;
    SearchBox box_;
    double ratio_ = 1;  ///< Vp/Vs where P and S share fields
    bool radial_ = false;
    bool cropped_ = false;
};

}  // namespace fermat
