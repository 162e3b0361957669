#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "model/model.hpp"
#include "tomography/gauss_newton/options.hpp"
#include "tomography/gauss_newton/parameters.hpp"
#include "tomography/gauss_newton/pick_matrix.hpp"
#include "tomography/gauss_newton/roughness.hpp"
#include "tomography/gauss_newton/unknown_rows.hpp"

namespace fermat {

/// A velocity that was measured, as in a borehole.
struct KnownVelocity {
    Vec3 point;  ///< as users write it
    double velocity = 0;
    double error = 0;  ///< standard deviation
};

/// A part of a section whose velocity is known.
struct KnownRegion {
    std::string id;
    std::vector<Vec3> corners;  ///< of a polygon of x and z
    double velocity = 0;
    double error = 0;  ///< standard deviation, at each unknown in it
};

/// A surface across which velocity may jump: points of x, (y) and depth.
struct KnownInterface {
    std::string id;
    std::vector<Vec3> points;
};

/// What is known of the ground beside the picks.
struct KnownGround {
    std::vector<KnownVelocity> log;
    std::vector<KnownRegion> regions;
    std::vector<KnownInterface> interfaces;
    /// Another method's image: smoothing is less where it changes.
    std::shared_ptr<const Model> guide;
    /// A model and its relative standard deviation, for means over areas, or volumes, whose side is
    /// the correlation length.
    std::shared_ptr<const Model> prior;
    double prior_deviation = 0.1;

    bool holds_velocities() const { return !log.empty() || !regions.empty() || prior; }
    bool holds_edges() const { return !interfaces.empty() || guide; }
};

/// Throws InputError where velocities or errors are not above 0, points lie outside the model or in
/// air, an interface or a polygon has too few points or lies beyond the model, or the prior is on
/// another grid.
void validate(const KnownGround& known, const Model& start);

/// Measured velocities as rows beside those of the picks: P x should be t, both in errors. They are
/// linear in the unknowns.
struct KnownRows {
    UnknownRows rows;            ///< P
    std::vector<double> target;  ///< t

    /// t - P x.
    std::vector<double> left(std::span<const double> x) const;
};
/// None where the options know of nothing.
KnownRows known_rows(const GaussNewtonOptions& options, const Parameters& parameters,
                     const Model& start);

/// Factors of the edges from each unknown to the next along x, y, z, from nearly 0 across a known
/// interface to 1; empty where none is known.
std::vector<Vec3> known_edges(const KnownGround& known, const Unknowns& unknowns,
                              const Model& start);
/// The roughness of a run, with the edges that its options know of.
Roughness known_roughness(const Unknowns& unknowns, const GaussNewtonOptions& options,
                          const Model& start);

/// The rows of picks and below them those of what is known.
class RowsWithKnown : public PickMatrix {
  public:
    RowsWithKnown(const PickMatrix& picks, const KnownRows& known) : picks_(picks), known_(known) {}

    std::size_t rows() const override { return picks_.rows() + known_.target.size(); }
    std::size_t columns() const override { return picks_.columns(); }
    void times(std::span<const double> x, std::span<double> out, int threads) const override;
    void transposed_times(std::span<const double> y, std::span<double> out,
                          int threads) const override;
    double trace() const override { return picks_.trace(); }
    void column_squares(std::span<double> out, int threads) const override {
        picks_.column_squares(out, threads);
    }

  private:
    const PickMatrix& picks_;
    const KnownRows& known_;
};

}  // namespace fermat
