#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/notes.hpp"
#include "io/pick_builder.hpp"
#include "io/place_table.hpp"
#include "survey/builder.hpp"

namespace fermat {

/// What is left out, with counts and the first names.
class LeftOut {
  public:
    explicit LeftOut(std::string why) : why_(std::move(why)) {}
    void add(std::string_view name) {
        ++count_;
        names_.emplace(name);
    }
    void tell(const std::string& file, std::size_t rows, Notes& notes,
              std::string_view what = "picks") const;

  private:
    std::string why_;
    std::size_t count_ = 0;
    std::set<std::string> names_;
};

/// The one way from the picks of a catalogue to a survey, whatever format they came in: picks name
/// events, stations and phases; tables say where these are. What cannot be used (no phase, other
/// phases than first P and S, stations that are not known, repeated picks, picks that the file
/// says not to use) is counted and told. With keep_later(), picks of later phases stay with their
/// names.
class PhaseRows {
  public:
    explicit PhaseRows(std::string file) : file_(std::move(file)) {}

    void set_stations(const PlaceTable& stations);
    void set_events(const PlaceTable& events);
    /// What a table says that has places in each row. Returns the id, or one that stands for the
    /// place if there is none. Throws InputError if the id has another place already.
    std::string place_station(const std::string& id, Vec3 place);
    std::string place_event(const std::string& id, Vec3 place);

    /// Keeps picks of PmP, pP and the like, and the names of all phases (SurveyFile::phases).
    void keep_later() { later_ = true; }

    bool has_station(std::string_view id) const { return stations_.find(id) != stations_.end(); }

    /// `where` starts messages about the row.
    void add(const std::string& event, const std::string& station, std::string_view phase,
             double time, double error, std::string where, Polarity polarity = 0);
    /// A row that the file itself says not to use.
    void leave_out(std::string_view name) {
        ++rows_;
        unwanted_.add(name);
    }
    /// Throws InputError if nothing is left.
    SurveyFile finish(bool has_errors, bool is_2d, Notes& notes);

  private:
    std::string file_;
    std::size_t rows_ = 0;
    std::map<std::string, Vec3, std::less<>> stations_;
    std::map<std::string, NamedPlace, std::less<>> events_;
    SurveyBuilder builder_;
    std::vector<std::string> where_;
    std::set<std::tuple<std::int32_t, std::int32_t, std::string>> seen_;
    std::vector<Polarity> polarities_;
    std::vector<std::string> phases_;
    bool later_ = false;
    std::vector<std::string> event_ids_;
    LeftOut phaseless_{"without a phase"};
    LeftOut other_phase_{"phases other than first P and S"};
    LeftOut nowhere_{"stations that are not in the stations' file"};
    LeftOut repeated_{"they repeat event, station and phase of an earlier row"};
    LeftOut unwanted_{"the file gives them no weight"};
};

}  // namespace fermat
