// Events come back to their true relative places from differences of times.
#include "location/relocate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "core/error.hpp"
#include "expect_error.hpp"
#include "location/fault_quakes.hpp"

namespace fermat {
namespace {

using test::fault_quakes;
using test::FaultOptions;
using test::FaultQuakes;

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

Vec3 mean_miss(const Survey& truth, const std::vector<RelocatedEvent>& found) {
    Vec3 mean;
    for (std::size_t n = 0; n < found.size(); ++n) {
        mean = mean +
               (found[n].position - truth.events[n].position) / static_cast<double>(found.size());
    }
    return mean;
}

/// Median distance to the true places after both centroids are removed.
double relative_miss(const Survey& truth, const std::vector<RelocatedEvent>& found) {
    const Vec3 mean = mean_miss(truth, found);
    std::vector<double> off;
    for (std::size_t n = 0; n < found.size(); ++n) {
        off.push_back(norm(found[n].position - truth.events[n].position - mean));
    }
    return median(off);
}

/// As wide as the events are: where velocity depends on depth alone, stations may lie beside.
Medium crust() { return Medium::of_ratio(test::layered_crust(0.5, 24), 1.73); }

FaultOptions small_fault() {
    FaultOptions options;
    options.events = 100;
    options.stations = 36;
    return options;
}

TEST(Relocate, AFaultsEventsComeBackToTheirRelativePlaces) {
    const FaultQuakes quakes = fault_quakes(small_fault());
    std::vector<TimeDifference> all = quakes.catalogue_differences;
    all.insert(all.end(), quakes.correlations.begin(), quakes.correlations.end());
    const Medium medium = crust();
    const Relocation found = relocate(medium, quakes.catalogue, all);
    EXPECT_LT(relative_miss(quakes.truth, found.events), 0.035);
    EXPECT_LT(found.rms[0], 0.027);
    EXPECT_LT(found.rms[1], 0.005);
    EXPECT_GT(found.rms_before[0], 2 * found.rms[0]);
    EXPECT_EQ(found.cluster_sizes, std::vector<int>{100});
    // The centroid is that of the catalogue, which is the true one.
    EXPECT_LT(norm(mean_miss(quakes.truth, found.events)), 1e-9);

    Execution two;
    two.threads = 2;
    const Relocation again = relocate(medium, quakes.catalogue, all, {}, nullptr, two);
    for (std::size_t n = 0; n < found.events.size(); ++n) {
        EXPECT_EQ(found.events[n].position, again.events[n].position);
    }
}

TEST(Relocate, ClustersThatNothingLinksAreToldAndKeepTheirCentroids) {
    const FaultQuakes quakes = fault_quakes(small_fault());
    // Events 0 to 39, and 40 to 98; nothing links the last one.
    std::vector<TimeDifference> parted;
    for (const TimeDifference& one : quakes.catalogue_differences) {
        const auto group = [](std::int32_t event) { return event < 40 ? 0 : event < 99 ? 1 : 2; };
        if (group(one.first) == group(one.second)) parted.push_back(one);
    }
    Notes notes;
    const Relocation found = relocate(crust(), quakes.catalogue, parted, {}, nullptr, {}, &notes);
    EXPECT_EQ(found.events[99].cluster, -1);
    EXPECT_EQ(found.events[99].position, quakes.catalogue.events[99].position);
    ASSERT_GE(found.cluster_sizes.size(), 2U);
    std::vector<Vec3> sums(found.cluster_sizes.size());
    for (std::size_t n = 0; n < found.events.size(); ++n) {
        if (found.events[n].cluster < 0) continue;
        Vec3& sum = sums[static_cast<std::size_t>(found.events[n].cluster)];
        sum = sum + found.events[n].position - quakes.catalogue.events[n].position;
    }
    for (const Vec3 sum : sums) EXPECT_LT(norm(sum), 1e-9);
    std::string told;
    for (const std::string& sentence : notes.sentences()) told += sentence;
    EXPECT_NE(told.find("clusters that no difference links"), std::string::npos) << told;
    EXPECT_NE(told.find("stay where they are"), std::string::npos) << told;
}

TEST(Relocate, ARunThatMovesNothingFailsAndSaysWhy) {
    FaultOptions few = small_fault();
    few.events = 12;
    few.stations = 12;
    const FaultQuakes quakes = fault_quakes(few);
    const Medium medium = crust();
    const std::vector<TimeDifference>& all = quakes.catalogue_differences;
    Survey high = quakes.catalogue;
    for (Station& station : high.stations) station.position.z = -2.5;
    test::expect_error<ComputeError>([&] { relocate(medium, high, all); }, "no event is moved",
                                     "12 of 12 stations are above it, the highest at z = -2.5");
    RelocateOptions linked;
    linked.least_links = 1000;
    test::expect_error<ComputeError>([&] { relocate(medium, quakes.catalogue, all, linked); },
                                     "no two events share 1000 of the");
    std::vector<TimeDifference> light = all;
    for (TimeDifference& one : light) one.weight = 0;
    test::expect_error<ComputeError>([&] { relocate(medium, quakes.catalogue, light); },
                                     "have the weight 0");
    RelocateOptions near;
    near.weighting.catalogue_reach = 1e-9;
    test::expect_error<ComputeError>([&] { relocate(medium, quakes.catalogue, all, near); },
                                     "count for nothing");
}

TEST(Relocate, WrongDifferencesAreRefused) {
    FaultOptions few = small_fault();
    few.events = 12;
    few.stations = 12;
    const FaultQuakes quakes = fault_quakes(few);
    const Medium medium = crust();
    const auto attempt = [&](const Survey& survey, TimeDifference one) {
        return [&medium, survey, one] { relocate(medium, survey, {one}); };
    };
    test::expect_error<InputError>([&] { relocate(medium, quakes.catalogue, {}); },
                                   "no differences");
    test::expect_error<InputError>(attempt(quakes.catalogue, {0, 99, 0}), "there are 12 events");
    test::expect_error<InputError>(attempt(quakes.catalogue, {0, 1, 0, Phase::P, {}, not_known}),
                                   "must be finite");
    test::expect_error<InputError>(attempt(quakes.catalogue, {0, 1, 0, Phase::P, {}, 0, -1}),
                                   "weight");
    Survey lost = quakes.catalogue;
    lost.events[1].position.x = not_known;
    test::expect_error<InputError>(attempt(lost, {0, 1, 0}), "locate it first");
    lost.events[1].position.x = 1e4;
    test::expect_error<InputError>(attempt(lost, {0, 1, 0}),
                                   "1 of 12 events lie outside the model");
    // One difference links nobody.
    test::expect_error<ComputeError>(attempt(quakes.catalogue, {0, 1, 0}),
                                     "no two events share 4 of the 1 that can be used");
}

TEST(Differences, PairsAreNearAndShareStations) {
    FaultOptions few = small_fault();
    few.events = 30;
    const FaultQuakes quakes = fault_quakes(few);
    Notes notes;
    const auto made = catalogue_differences(quakes.catalogue, {3, 4, 8, 10}, notes);
    ASSERT_FALSE(made.empty());
    std::map<std::pair<int, int>, int> links;
    for (const TimeDifference& one : made) {
        EXPECT_LT(one.first, one.second);
        ++links[{one.first, one.second}];
        EXPECT_LE(distance(quakes.catalogue.events[static_cast<std::size_t>(one.first)].position,
                           quakes.catalogue.events[static_cast<std::size_t>(one.second)].position),
                  3);
    }
    for (const auto& [pair, count] : links) EXPECT_LE(count, 10);
    EXPECT_EQ(notes.sentences().size(), 1U);
}

}  // namespace
}  // namespace fermat
