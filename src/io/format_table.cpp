#include "io/format_table.hpp"

#include <algorithm>
#include <array>

namespace fermat {
namespace {

constexpr std::array pick_table = {
    &pyrefra_picks, &sgt_picks,     &gtt_picks,    &seisimager_picks, &table_picks,
    &rayinvr_picks, &src_rec_picks, &tomo2d_picks, &refrapick_picks,  &reflexw_picks};

constexpr std::array catalogue_table = {&xml_catalogue,    &nonlinloc_catalogue, &hypodd_catalogue,
                                        &velest_catalogue, &simulps_catalogue,   &lotos_catalogue,
                                        &hypo_catalogue};

constexpr std::array station_table = {&xml_stations,     &velest_stations,  &csv_stations,
                                      &control_stations, &simulps_stations, &hypoinverse_stations,
                                      &hypodd_stations};

constexpr std::array event_table = {&xml_events,   &hypodd_headers,   &nonlinloc_events,
                                    &csv_events,   &hypodd_relocated, &hypoinverse_events,
                                    &hypodd_events};

}  // namespace

std::span<const PickReader* const> pick_readers() { return pick_table; }
std::span<const CatalogueReader* const> catalogue_readers() { return catalogue_table; }
std::span<const PlaceReader* const> station_readers() { return station_table; }
std::span<const PlaceReader* const> event_readers() { return event_table; }

const PickReader& pick_reader(PickFormat format) {
    const auto found = std::find_if(pick_table.begin(), pick_table.end(),
                                    [&](const PickReader* one) { return one->format == format; });
    return found == pick_table.end() ? table_picks : **found;
}

const CatalogueReader* catalogue_reader(const TextFile& file) {
    const auto found = std::find_if(catalogue_table.begin(), catalogue_table.end(),
                                    [&](const CatalogueReader* one) { return one->is(file); });
    return found == catalogue_table.end() ? nullptr : *found;
}

}  // namespace fermat
