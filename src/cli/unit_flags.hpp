#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>

#include "io/units.hpp"
#include "model/model.hpp"

namespace fermat::cli {

/// --length-unit and --time-unit: names for axes and reports. `otherwise` says what they are by
/// default.
void add_unit_flags(CLI::App& app, UnitNames& units, const std::string& otherwise);

/// Each name from the first that has one.
UnitNames first_of(UnitNames units, const UnitNames& others);

/// A run's settings with the names of its units, which plots and reports read from there.
std::string with_units(std::string settings, const UnitNames& units);

/// The units of a run: those that are given, those of its settings, or as its velocities are. Says
/// in a note what nobody told.
UnitNames units_of_run(const std::filesystem::path& run, const UnitNames& given,
                       const Model& model);

/// The units of a table of events: those that are given, those of the run in whose folder it lies,
/// or km and s.
UnitNames units_of_table(const std::filesystem::path& table, const UnitNames& given);

}  // namespace fermat::cli
