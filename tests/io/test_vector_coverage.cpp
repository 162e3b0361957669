#include "io/vector_coverage.hpp"

#include <fstream>
#include <limits>
#include <sstream>

#include "io/temp_folder.hpp"
#include "io/xml.hpp"

namespace fermat {
namespace {

using namespace test;
using VectorCoverage = TempFolder;

TEST_F(VectorCoverage, RaysThatArrivedAreWrittenWithTheirPicks) {
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

TEST_F(VectorCoverage, EveryRayNeedsItsPickTime) {
    VectorCoverageWriter writer(at("rays.xml"));
    RaySet rays;
    rays.append({}, std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}});
    EXPECT_THROW(writer.append(rays, {}), InputError);
}

}  // namespace
}  // namespace fermat
