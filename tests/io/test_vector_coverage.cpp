#include "io/vector_coverage.hpp"

#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

#include "io/run_mark.hpp"
#include "io/temp_folder.hpp"
#include "io/xml.hpp"
#include "model/makers.hpp"
#include "rays/integrate.hpp"

namespace fermat {
namespace {

using namespace test;
using VectorCoverageFiles = TempFolder;

TEST_F(VectorCoverageFiles, RaysThatArrivedAreWrittenWithTheirPicks) {
    constexpr double never = std::numeric_limits<double>::infinity();
    const std::vector<Vec3> path = {{9, 0, 0.1}, {5, 0, 1.0 / 3}, {1, 0, 0}};
    RaySet rays;
    rays.append({2, 7, 1, 1, 8.1, RayStatus::ok}, path);
    rays.append({2, 8, never, never, 0, RayStatus::receiver_in_air}, std::span(path).first(1));
    VectorCoverageWriter writer(at("rays.xml"));
    writer.append(rays, std::vector<double>{1.25, 3});
    writer.append({}, {});
    EXPECT_FALSE(std::filesystem::exists(at("rays.xml")));
    writer.commit();

    std::ifstream file(at("rays.xml"));
    std::stringstream content;
    content << file.rdbuf();
    const std::string text = content.str();
    const XmlElement root = parse_xml(text, "").root;
    EXPECT_EQ(root.name, "vector_coverage");
    ASSERT_EQ(root.children.size(), 1u);
    const XmlElement& ray = root.children[0];
    EXPECT_EQ(ray.attribute("source"), "2");
    EXPECT_EQ(ray.attribute("receiver"), "7");
    EXPECT_EQ(ray.child("shotpoint")->attribute("x"), "1");
    EXPECT_EQ(ray.child("receiver")->attribute("z"), "0.1");
    EXPECT_EQ(ray.child("pick_time")->text, "1.25");
    const auto& vertices = ray.child("trajectory")->children;
    ASSERT_EQ(vertices.size(), 3u);
    EXPECT_EQ(std::stod(std::string(*vertices[1].attribute("z"))), 1.0 / 3);
}

RaySet two_rays() {
    RaySet rays;
    rays.append({2, 7, 1, 1, 8.1, RayStatus::ok},
                std::vector<Vec3>{{9, 0, 0.1}, {5, 0, 1.0 / 3}, {1, 0, 0}});
    rays.append({0, 3, 1, 1, 5, RayStatus::ok}, std::vector<Vec3>{{3, 0, 4}, {0, 0, 0}});
    return rays;
}

TEST_F(VectorCoverageFiles, WhatIsWrittenIsRead) {
    const RaySet rays = two_rays();
    VectorCoverageWriter writer(at("rays.xml"), "0123456789abcdef");
    writer.append(rays, std::vector<double>{1.25, 0.1});
    writer.commit();
    EXPECT_EQ(run_of_file(at("rays.xml")), "0123456789abcdef");
    VectorCoverage read = read_vector_coverage(at("rays.xml"), notes);
    EXPECT_TRUE(notes.sentences().empty());
    EXPECT_EQ(read.pick_times, (std::vector<double>{1.25, 0.1}));
    EXPECT_EQ(read.rays.points, rays.points);
    EXPECT_EQ(read.rays.first_point, rays.first_point);
    EXPECT_EQ(read.rays.rays[0].source, 2);
    EXPECT_EQ(read.rays.rays[1].receiver, 3);
    EXPECT_TRUE(std::isnan(read.rays.rays[1].time));
    EXPECT_DOUBLE_EQ(read.rays.rays[1].length, 5);
    // Their times are those of a model.
    integrate_rays(constant_model({{11, 1, 6}, {}, {1, 1, 1}}, 2), read.rays);
    EXPECT_DOUBLE_EQ(read.rays.rays[1].time, 2.5);
    const std::string outside = message_of([&] {
        integrate_rays(constant_model({{11, 1, 4}, {}, {1, 1, 1}}, 2), read.rays);
    });
    EXPECT_TRUE(contains(outside, "ray 2 has a point at (3, 0, 4), outside the model"));
}

TEST_F(VectorCoverageFiles, WhatIsWrongOrUnusedIsSaid) {
    const std::string good =
        "<vector_coverage><note/><ray source=\"0\" receiver=\"1\"><shotpoint x=\"0\" y=\"0\" "
        "z=\"0\"/><receiver x=\"3\" y=\"0\" z=\"4\"/><pick_time>1.5</pick_time><trajectory "
        "vertices=\"2\"><vertex x=\"3\" y=\"0\" z=\"4.5\"/><vertex x=\"0\" y=\"0\" z=\"0\"/>"
        "</trajectory></ray></vector_coverage>";
    const auto read = [&](const std::string& text) {
        std::ofstream(at("v.xml")) << text;
        Notes said;
        read_vector_coverage(at("v.xml"), said);
        return said.sentences();
    };
    const auto told = read(good);
    ASSERT_EQ(told.size(), 2U);
    EXPECT_TRUE(contains(told[0], "1 element of unknown name left out"));
    EXPECT_TRUE(contains(told[1], "1 trajectory does not lead from the receiver"));
    EXPECT_TRUE(read("<vector_coverage/>").empty());
    const auto wrong = [&](const std::string& part, const std::string& other) {
        std::string text = good;
        text.replace(text.find(part), part.size(), other);
        return message_of([&] { read(text); });
    };
    EXPECT_TRUE(contains(wrong("\"2\"", "\"3\""), "v.xml': ray 1: its trajectory has 2 vertices"));
    EXPECT_TRUE(contains(wrong("1.5", "soon"), "its pick time is 'soon' (must be a finite"));
    EXPECT_TRUE(contains(wrong("x=\"3\"", "x=\"nan\""), "x of a 'receiver' is 'nan'"));
    EXPECT_TRUE(contains(wrong("source=\"0\"", "source=\"-1\""), "its source is '-1'"));
    EXPECT_TRUE(contains(wrong("<shotpoint", "<place"), "it has no element shotpoint"));
    EXPECT_TRUE(contains(wrong("</vector_coverage>", ""), "v.xml"));
    EXPECT_TRUE(contains(message_of([&] { read("<a/>"); }), "its root is 'a'"));
}

TEST_F(VectorCoverageFiles, EveryRayNeedsItsPickTime) {
    VectorCoverageWriter writer(at("rays.xml"));
    RaySet rays;
    rays.append({}, std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}});
    EXPECT_THROW(writer.append(rays, {}), InputError);
}

}  // namespace
}  // namespace fermat
