#pragma once

#include <memory>
#include <vector>

#include "core/execution.hpp"
#include "core/notes.hpp"
#include "location/catalogue.hpp"
#include "location/options.hpp"
#include "model/topography.hpp"
#include "survey/survey.hpp"

namespace fermat {

/// Locates events as they come: the fields of all stations are solved once. Results are those of
/// locate() but for the model's error, which is found from the events of one call.
class Locator {
  public:
    /// Solves fields of P, and of S where the medium has it, for stations whose ids differ.
    /// Stations outside the model are told. The medium, the surface and what executes must live as
    /// long.
    Locator(const Medium& medium, std::vector<Station> stations, const LocateOptions& options,
            const Surface* surface, const Execution& execution, Notes& notes);
    ~Locator();
    Locator(const Locator&) = delete;
    Locator& operator=(const Locator&) = delete;

    /// Locates the events of a survey, whose stations are known by their ids.
    Catalogue locate(const Survey& survey, Notes& notes) const;

    struct Frame;

  private:
    const Medium& medium_;
    std::vector<Station> stations_;
    const Execution& execution_;
    std::unique_ptr<const Frame> frame_;
};

}  // namespace fermat
