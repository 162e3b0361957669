#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/notes.hpp"
#include "core/vec3.hpp"
#include "io/local_plane.hpp"
#include "io/pick_options.hpp"
#include "io/polarity.hpp"
#include "survey/settle.hpp"
#include "survey/survey.hpp"

namespace fermat {

/// What reading a file of picks or a catalogue gives: its picks, the points of the ground that it
/// lists besides (none in most formats), and the plane that its longitudes and latitudes were put
/// on.
struct SurveyFile {
    std::vector<Vec3> points{};
    /// In catalogues, Event::position is NaN where it is not known, and Event::origin_time is the
    /// time of the first pick.
    Survey picks{};
    std::optional<LocalPlane> plane{};
    std::string projection{};          ///< instead of a plane: "proj: ...", of the Python package
    std::vector<double> magnitudes{};  ///< as events, of catalogues that have them; NaN if unknown
    UnitNames units{};                 ///< of positions and times, as far as the file tells them
    bool has_dates = false;            ///< times are seconds since 1970, as clock.hpp has them
    std::vector<Polarity> polarities{};  ///< first motions, as arrivals; empty if none is known
    /// Phases by their names or codes, as arrivals, of catalogues whose later phases were wanted,
    /// and of picks where PickReadOptions::named_phases asked for them.
    std::vector<std::string> phases{};
};

/// One arrival of a file, in the units of the file, with z downward.
struct PickRow {
    Vec3 source{};
    Vec3 receiver{};
    double time = 0;
    double error = missing_error;
    std::size_t line = 0;  ///< of the file, for messages; 0 if it has none
    Phase phase = Phase::P;
    std::string event{};  ///< ids, empty where the file has none
    std::string station{};
    double origin_time = 0;
    std::string name{};     ///< of the phase, as the file writes it
    Polarity polarity = 0;  ///< first motion
};

/// What a format fixes, as far as the user does not.
struct PickDialect {
    bool has_errors = false;
    bool has_y = true;
    bool flat_if_on_axis = false;  ///< points that all have one y (or one x) make a 2-D survey
    bool leave_out_bad = false;
    std::string_view length{};        ///< its unit, if the format has one
    std::string_view time{};          ///< its unit, if the format has one
    std::string_view usual_length{};  ///< what lengths become unless the user wants another unit
    std::string_view usual_time{};

    /// Of a program's own format: its units never change, times become s, and rows of bad picks are
    /// no error.
    static PickDialect of_program(std::string_view length, std::string_view time) {
        PickDialect dialect;
        dialect.leave_out_bad = true;
        dialect.length = dialect.usual_length = length;
        dialect.time = time;
        dialect.usual_time = "s";
        return dialect;
    }
    /// Of a program for lines, whose files have no y.
    static PickDialect of_lines(std::string_view length, std::string_view time) {
        PickDialect dialect = of_program(length, time);
        dialect.has_y = false;
        return dialect;
    }
};

/// The one way from the rows of a file to a Survey: every reader adds its rows here, says what it
/// leaves out, and takes the result. Units, relative errors, the choice between 2-D and 3-D, the
/// straight line and the checks of settle_times() are the same for all of them.
class PickBuilder {
  public:
    PickBuilder(std::filesystem::path path, const PickReadOptions& options, PickDialect dialect)
        : path_(std::move(path)), options_(options), dialect_(std::move(dialect)) {}

    void add(const PickRow& row) { rows_.push_back(row); }
    /// A point of the ground that the file lists.
    void add_point(Vec3 point) { points_.push_back(point); }
    /// Counts rows that the reader leaves out. `reason` follows the count: "have valid = 0".
    void leave_out(const std::string& reason, std::size_t count = 1) { left_out_[reason] += count; }
    /// The plane of the points; a new one is told in the units that the result has.
    void keep_plane(const LocalPlane& plane, bool is_new = false) {
        plane_ = plane;
        plane_is_new_ = is_new;
    }
    void keep_projection(std::string projection) { projection_ = std::move(projection); }
    std::size_t rows() const { return rows_.size(); }

    /// Throws InputError that names file and line.
    SurveyFile finish(Notes& notes);

  private:
    std::string quoted() const;
    void leave_out_bad_rows();
    void change_units(Notes& notes);
    void flatten(Notes& notes);
    void put_on_line(Notes& notes);
    void turn_plane(PlanePoint from, PlanePoint direction, Notes& notes);
    void drop_projection(std::string_view why, Notes& notes);
    Survey build(bool with_ids) const;
    Survey build_with_ids(Notes& notes) const;
    void tell_left_out(Notes& notes) const;
    void tell_large_errors(Notes& notes) const;
    template <class Change>
    void change_points(Change change);

    std::filesystem::path path_;
    const PickReadOptions& options_;
    PickDialect dialect_;
    std::vector<PickRow> rows_{};
    std::vector<Vec3> points_{};
    std::map<std::string, std::size_t> left_out_{};
    std::optional<LocalPlane> plane_{};
    std::string projection_{};
    UnitNames units_{};
    bool plane_is_new_ = false;
    std::size_t bad_errors_ = 0;
    bool is_2d_ = false;
};

}  // namespace fermat
