#include "io/vtk_xml.hpp"

#include <cstring>

#include "io/temp_folder.hpp"

namespace fermat {
namespace {

using namespace test;

std::string base64(std::string_view bytes) {
    constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        unsigned group = 0;
        for (std::size_t j = 0; j < 3; ++j) {
            group =
                group << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0u);
        }
        for (std::size_t j = 0; j < 4; ++j) {
            text += i + j > bytes.size() ? '=' : digits[group >> (18 - 6 * j) & 63];
        }
    }
    return text;
}

template <class T>
std::string raw(T value, bool reversed = false) {
    std::string bytes(sizeof value, '\0');
    std::memcpy(bytes.data(), &value, sizeof value);
    if (reversed) std::reverse(bytes.begin(), bytes.end());
    return bytes;
}

/// The values 1, 2, ... 24, x fastest.
template <class T>
std::string values(bool reversed = false) {
    std::string bytes;
    for (int i = 1; i <= 24; ++i) bytes += raw(static_cast<T>(i), reversed);
    return bytes;
}

class VtkXml : public TempFolder {
  protected:
    fs::path put_image(const std::string& array, const std::string& attributes = "",
                       const std::string& end = "") const {
        return put("m.vti",
                   "<?xml version=\"1.0\"?>\n<!-- made by hand -->\n<VTKFile type=\"ImageData\" "
                   "version=\"1.0\" " +
                       attributes +
                       ">\n<ImageData WholeExtent=\"1 2 0 2 0 3\" "
                       "Origin=\"1 2 3\" Spacing=\"0.5 0.25 2\">\n<Piece Extent=\"1 2 0 2 0 3\">\n"
                       "<PointData Scalars=\"velocity\">" +
                       array +
                       "</PointData><CellData/></Piece>\n"
                       "</ImageData>\n" +
                       end + "</VTKFile>\n");
    }
    static std::string array(const std::string& type, const std::string& attributes,
                             const std::string& text) {
        return "<DataArray type=\"" + type + "\" Name=\"velocity\" " + attributes + ">" + text +
               "</DataArray>";
    }
    static std::string ascii() {
        std::string text;
        for (int i = 1; i <= 24; ++i) text += std::to_string(i) + (i % 5 ? " " : "\n");
        return text;
    }
    void expect_image(const fs::path& file) const {
        const Model model = read_vtk_xml(file);
        EXPECT_EQ(model.grid(), (Grid{{2, 3, 4}, {1.5, 2, 3}, {0.5, 0.25, 2}}));
        EXPECT_EQ(model.velocity()(1, 0, 0), 2);
        EXPECT_EQ(model.velocity()(0, 1, 0), 3);
        EXPECT_EQ(model.velocity()(1, 2, 3), 24);
    }
    std::string error(const fs::path& file) const {
        const std::string text = message_of([&] { read_vtk_xml(file); });
        EXPECT_TRUE(contains(text, file.filename().string()));
        return text;
    }
};

TEST_F(VtkXml, EveryEncodingGivesTheSameImage) {
    const std::string inline_binary = "format=\"binary\"";
    const std::string wide = "header_type=\"UInt64\"";
    expect_image(put_image(array("Float32", "format=\"ascii\"", ascii())));
    expect_image(put_image(
        array("Float32", inline_binary, "\n  " + base64(raw(96u) + values<float>()) + "\n")));
    // Count and values are encoded separately, as some writers do.
    expect_image(
        put_image(array("Float32", inline_binary, base64(raw(96u)) + base64(values<float>()))));
    expect_image(put_image(
        array("Float64", inline_binary, base64(raw(std::uint64_t{192}) + values<double>())), wide));
    expect_image(
        put_image(array("Float32", inline_binary, base64(raw(96u, true) + values<float>(true))),
                  "byte_order=\"BigEndian\""));
    expect_image(put_image(
        array("Float32", "format=\"appended\" offset=\"3\"", ""), "",
        "<AppendedData encoding=\"raw\">\n _xyz" + raw(96u) + values<float>() + "</AppendedData>"));
    expect_image(put_image(array("Float32", "format=\"appended\" offset=\"0\"", ""), wide,
                           "<AppendedData encoding=\"base64\">_" +
                               base64(raw(std::uint64_t{96}) + values<float>()) +
                               "</AppendedData>"));
}

TEST_F(VtkXml, RectilinearGridsMustBeEven) {
    const auto grid = [&](const std::string& y) {
        return put("m.vtr",
                   "<VTKFile type=\"RectilinearGrid\"><RectilinearGrid WholeExtent=\"0 1 0 2 0 3\">"
                   "<Piece Extent=\"0 1 0 2 0 3\"><PointData>" +
                       array("Float32", "", ascii()) +
                       "</PointData><Coordinates><DataArray type=\"Float32\">1.5 2</DataArray>"
                       "<DataArray type=\"Float64\">" +
                       y +
                       "</DataArray>"
                       "<DataArray type=\"Float32\">3 5 7 9</DataArray></Coordinates></Piece>"
                       "</RectilinearGrid></VTKFile>");
    };
    expect_image(grid("2 2.25 2.5"));
    EXPECT_TRUE(contains(error(grid("2 2.3 2.5")), "uneven coordinates along y"));
    EXPECT_TRUE(contains(error(grid("2 2.25")), "2 values"));
}

TEST_F(VtkXml, CellsServeWhereNoPointArrayIsVelocity) {
    const auto image = [&](const std::string& points, const std::string& cells) {
        std::string text = content(put_image(points));
        text.replace(text.find("<CellData/>"), 11, "<CellData>" + cells + "</CellData>");
        return put("m.vti", text);
    };
    const std::string six = array("Float32", "", "1 2 3 4 5 6");
    const auto named = [](std::string text, const std::string& name) {
        return text.replace(text.find("velocity"), 8, name);
    };
    for (const std::string& points : {std::string(), named(array("Float32", "", ascii()), "rho")}) {
        const Model model = read_vtk_xml(image(points, six));
        ASSERT_NE(model.cells(), nullptr);
        EXPECT_EQ(model.grid().shape, (Shape{2, 3, 4}));
        EXPECT_EQ(model.given()(0, 1, 0), 2);
        EXPECT_EQ(model.given()(0, 1, 2), 6);
    }
    EXPECT_NE(read_vtk_xml(image("", named(six, "vp"))).cells(), nullptr);
    expect_image(image(array("Float32", "", ascii()), six));
    expect_image(image(named(array("Float32", "", ascii()), "vp"), named(six, "rho")));
    EXPECT_TRUE(contains(error(image("", named(six, "vp") + named(six, "vs"))), "cell arrays"));
    EXPECT_TRUE(contains(error(image("", array("Float32", "", ascii()))), "24 values"));
}

TEST_F(VtkXml, WrongFilesAreRefused) {
    EXPECT_TRUE(contains(error(put("m.vti", "")), "not XML"));
    EXPECT_TRUE(contains(error(put("m.vti", "<html></html>")), "not a VTK"));
    EXPECT_TRUE(contains(error(put("m.vti", "<VTKFile type=\"PolyData\"></VTKFile>")), "PolyData"));
    EXPECT_TRUE(contains(error(put("m.vti", std::string(100000, '<'))), "name is missing"));
    std::string deep;
    for (int i = 0; i < 100000; ++i) deep += "<a>";
    EXPECT_TRUE(contains(error(put("m.vti", deep)), "too many"));
    EXPECT_TRUE(contains(error(put_image("")), "no point or cell data"));
    EXPECT_TRUE(contains(error(put_image(array("Int32", "", ascii()))), "Int32"));
    EXPECT_TRUE(contains(error(put_image(array("Float32", "", "1 2 3"))), "3 values"));
    EXPECT_TRUE(contains(error(put_image(array("Float32", "", ascii() + "x"))), "'x'"));
    EXPECT_TRUE(contains(error(put_image(array("Float32", "NumberOfComponents=\"3\"", ascii()))),
                         "components"));
    const auto packed = array("Float32", "format=\"binary\"", "AAAA");
    EXPECT_TRUE(contains(error(put_image(packed, "compressor=\"vtkZLibDataCompressor\"")),
                         "SetCompressorTypeToNone"));
    EXPECT_TRUE(contains(error(put_image(packed)), "truncated"));
    EXPECT_TRUE(contains(
        error(put_image(array("Float32", "format=\"appended\" offset=\"999\"", ""))), "offset"));
    std::string nan = ascii();
    nan.replace(0, 1, "nan");
    EXPECT_TRUE(contains(error(put_image(array("Float32", "", nan))), "node (0, 0, 0)"));
    const std::string whole = content(put_image(array("Float32", "format=\"ascii\"", ascii())));
    for (std::size_t length = 0; length + 12 < whole.size(); length += 7) {
        error(put("t.vti", whole.substr(0, length)));
    }
}

TEST_F(VtkXml, AnAbsurdExtentIsRefusedBeforeMemoryIsTaken) {
    std::string text = content(put_image(array("Float32", "", ascii())));
    for (std::size_t at = 0; (at = text.find("1 2 0 2 0 3", at)) != std::string::npos;) {
        text.replace(at, 11, "0 400000000 0 400000000 0 9");
    }
    EXPECT_TRUE(contains(error(put("m.vti", text)), "truncated"));
}

}  // namespace
}  // namespace fermat
