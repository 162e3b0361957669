// Two runs that differ in anything that changes a file of theirs have two identities.
#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "model/makers.hpp"
#include "model/metric.hpp"
#include "tomography/invert.hpp"

namespace fermat {
namespace {

const Grid grid{{5, 1, 7}, {0, 0, 0}, {1, 1, 1}};

Survey two_picks() {
    const std::vector<PointSource> sources = {{{0, 0, 0}, 0}};
    const std::vector<Vec3> receivers = {{4, 0, 0}, {4, 0, 6}};
    return survey_of(sources, receivers);
}

std::string name_of_run(const Model& start, const Survey& picks,
                        const InversionOptions& options = {}) {
    return run_fingerprint(start, picks, options, Device::cpu);
}

Model with(CoordinateNumbers numbers, AnisotropyValues anisotropy = {}) {
    return gradient_model(grid, 2, 0.1)
        .with_metric(
            std::make_shared<const Metric>(grid, std::move(numbers), std::move(anisotropy)));
}

CoordinateNumbers with_jump(double ratio) {
    CoordinateNumbers numbers;
    numbers.jumps.assign(7, 1.0);
    numbers.jumps[3] = ratio;
    return numbers;
}

TEST(RunFingerprint, KnowsJumpsOnRows) {
    const Survey picks = two_picks();
    const std::string plain = name_of_run(gradient_model(grid, 2, 0.1), picks);
    const std::string weak = name_of_run(with(with_jump(1.3)), picks);
    const std::string strong = name_of_run(with(with_jump(1.6)), picks);
    EXPECT_NE(weak, strong);
    EXPECT_NE(weak, plain);
    EXPECT_EQ(weak, name_of_run(with(with_jump(1.3)), picks));
}

TEST(RunFingerprint, KnowsCoordinatesAndAnisotropy) {
    const Survey picks = two_picks();
    CoordinateNumbers terrain;
    terrain.system = Coordinates::terrain;
    terrain.surface.assign(5, 0.0);
    const std::string flat = name_of_run(with(terrain), picks);
    terrain.surface[2] = 0.5;
    EXPECT_NE(name_of_run(with(terrain), picks), flat);

    const auto tilted = [&](float epsilon, float delta) {
        AnisotropyValues values;
        values.kind = Anisotropy::thomsen;
        const std::array<float, 5> numbers = {epsilon, delta, 0, 0, 1};
        for (std::size_t n = 0; n < numbers.size(); ++n) {
            values.values[n] = Field<float>(grid.shape, numbers[n]);
        }
        return name_of_run(with({}, std::move(values)), picks);
    };
    EXPECT_NE(tilted(0.2F, 0.1F), tilted(0.21F, 0.1F));
    EXPECT_NE(tilted(0.2F, 0.1F), tilted(0.2F, 0.11F));
}

TEST(RunFingerprint, KnowsEveryPartOfTheSurvey) {
    const Model start = gradient_model(grid, 2, 0.1);
    const std::string name = name_of_run(start, two_picks());
    const std::vector<std::function<void(Survey&)>> changes = {
        [](Survey& s) { s.events[0].position.x = 1; },
        [](Survey& s) { s.events[0].origin_time = 1; },
        [](Survey& s) { s.events[0].id = "shot"; },
        [](Survey& s) { s.stations[1].position.z = 5; },
        [](Survey& s) { s.stations[1].id = "geophone"; },
        [](Survey& s) { s.arrivals[1].time += 1e-12; },
        [](Survey& s) { s.arrivals[1].error = 0.1; },
        [](Survey& s) { s.arrivals[1].phase = Phase::S; },
        [](Survey& s) { s.arrivals.pop_back(); },
        [](Survey& s) { s.has_errors = !s.has_errors; },
        [](Survey& s) { s.is_2d = !s.is_2d; },
        [](Survey& s) { s.events[0].known.place = true; },
        [](Survey& s) { s.events[0].known.time = true; },
        [](Survey& s) {
            s.differences.push_back({0, 0, 1});
        },
    };
    for (std::size_t n = 0; n < changes.size(); ++n) {
        Survey picks = two_picks();
        changes[n](picks);
        EXPECT_NE(name_of_run(start, picks), name) << "change " << n;
    }
    EXPECT_EQ(name_of_run(start, two_picks()), name);
}

TEST(RunFingerprint, KnowsOptionsAndTheirModels) {
    const Model start = gradient_model(grid, 2, 0.1);
    const Survey picks = two_picks();
    const std::string name = name_of_run(start, picks);
    const std::vector<std::function<void(InversionOptions&)>> changes = {
        [](InversionOptions& o) { o.method = InversionMethod::hole; },
        [](InversionOptions& o) { o.update.step = 0.9; },
        [](InversionOptions& o) { o.gauss_newton.lambda = 2; },
        [](InversionOptions& o) { o.eikonal.order = 1; },
        [](InversionOptions& o) { o.joint.weighting.catalogue_reach += 1; },
        [](InversionOptions& o) { o.joint.start_places = StartPlaces::given; },
        [](InversionOptions& o) {
            o.schedule = {{1, {2, 1, 2}, {3, 1, 3}, 1, 1}};
        },
        [](InversionOptions& o) {
            o.gauss_newton.reference = std::make_shared<const Model>(with(with_jump(1.3)));
        },
        [](InversionOptions& o) {
            o.gauss_newton.reference = std::make_shared<const Model>(with(with_jump(1.6)));
        },
    };
    std::vector<std::string> names = {name};
    for (const auto& change : changes) {
        InversionOptions options;
        change(options);
        const std::string other = name_of_run(start, picks, options);
        for (const std::string& known : names) EXPECT_NE(other, known);
        names.push_back(other);
    }
}

TEST(RunFingerprint, DoesNotDependOnWhatIsEstimatedOfTheRun) {
    const Model start = gradient_model(grid, 2, 0.1);
    InversionOptions options;
    options.joint.trust.resolution = true;
    options.joint.first_shift = {{1, 0, 0, 0.1}};  // what start_places led to
    EXPECT_EQ(name_of_run(start, two_picks(), options), name_of_run(start, two_picks()));
}

}  // namespace
}  // namespace fermat
