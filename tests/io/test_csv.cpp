#include "io/csv.hpp"

#include <clocale>
#include <limits>
#include <sstream>

#include "io/temp_folder.hpp"
#include "io/text.hpp"

namespace fermat {
namespace {

using namespace test;
using CsvTest = TempFolder;

TEST_F(CsvTest, CommentsBlankLinesCarriageReturnsAndByteOrderMarkAreNoRows) {
    const CsvTable table(
        put("t.csv", "\xEF\xBB\xBF# remark\r\n\r\n x , z\r\n1,+2.5\r\n\r\n# more\r\n-3e2 , 4"));
    EXPECT_EQ(table.names(), (std::vector<std::string>{"x", "z"}));
    ASSERT_EQ(table.rows(), 2u);
    EXPECT_EQ(table.number(0, table.column("z")), 2.5);
    EXPECT_EQ(table.number(1, table.column("x")), -300);
}

TEST_F(CsvTest, ABadNumberIsToldWithFileLineColumnAndText) {
    const CsvTable table(put("t.csv", "x,z\n\n1,2\n3,4o\nnan,1e999\n1.5,\n"));
    const std::string text = message_of([&] { table.number(1, 1); });
    for (const char* part : {"t.csv", "line 4", "'z'", "'4o'"}) EXPECT_TRUE(contains(text, part));
    EXPECT_TRUE(contains(message_of([&] { table.number(2, 0); }), "must be finite"));
    EXPECT_TRUE(contains(message_of([&] { table.number(2, 1); }), "1e999"));
    EXPECT_TRUE(contains(message_of([&] { table.number(3, 1); }), "must be a number"));
    EXPECT_TRUE(contains(message_of([&] { table.integer(3, 0); }), "whole number"));
}

TEST_F(CsvTest, AWrongHeaderOrRowIsToldWhereItStands) {
    const auto error = [&](std::string_view content) {
        put("t.csv", content);
        return message_of([&] { CsvTable table(at("t.csv")); });
    };
    EXPECT_TRUE(contains(error(""), "empty"));
    EXPECT_TRUE(contains(error("# only a remark\n"), "empty"));
    EXPECT_TRUE(contains(error("1,2\n3,4\n"), "header"));
    EXPECT_TRUE(contains(error("x,x\n"), "column 2"));
    EXPECT_TRUE(contains(error("x,,z\n"), "column 2"));
    EXPECT_TRUE(contains(error("x,z\n1,2,3\n"), "line 2: 3 fields"));
    EXPECT_TRUE(contains(error("x,z\n1\n"), "1 fields"));
    EXPECT_TRUE(contains(message_of([&] { CsvTable(at("none.csv")); }), "No such file"));
    EXPECT_TRUE(contains(message_of([&] { CsvTable{folder_}; }), "folder"));
    put("t.csv", "x,z\n");
    EXPECT_TRUE(contains(message_of([&] { CsvTable(at("t.csv")).column("y"); }), "'x,z'"));
}

TEST_F(CsvTest, NoNameIsAFormulaToASpreadsheetAndAllReadBackTheSame) {
    const std::vector<std::string> names = {"=1+1", "+cmd|' /C calc'!A0",
                                            "-2+3", "@SUM(A1)",
                                            "'=x",  "''@x",
                                            "-",    "=",
                                            "-5",   "+7.5",
                                            "A-1",  "'A'",
                                            "'",    ""};
    CsvWriter writer(at("t.csv"), {"station", "x"});
    for (const std::string& name : names) writer.add_row({std::string_view(name), -2.5});
    writer.commit();
    const CsvTable table(at("t.csv"));
    const CsvTable delimited(at("t.csv"), CsvTable::Style::free);
    for (std::size_t row = 0; row < names.size(); ++row) {
        EXPECT_EQ(table.text(row, 0), names[row]);
        EXPECT_EQ(delimited.text(row, 0), names[row]);
        EXPECT_EQ(table.number(row, 1), -2.5);
    }
    std::istringstream lines(content(at("t.csv")));
    for (std::string line; std::getline(lines, line);) {
        const std::string cell = line.substr(0, line.find(','));
        const bool risky =
            cell.size() > 1 && std::string_view("=+-@").find(cell[0]) != std::string::npos;
        EXPECT_TRUE(!risky || parse_number(cell)) << line;
    }
}

TEST_F(CsvTest, WrittenNumbersReadBackToTheBitInAnyLocale) {
    const double third = 1.0 / 3;
    const char* german = std::setlocale(LC_ALL, "de_DE.UTF-8");
    CsvWriter writer(at("t.csv"), {"a", "b", "status"});
    writer.add_row({third, std::int64_t{-7}, "ok"});
    writer.add_row({std::numeric_limits<double>::max(), std::int64_t{0}, "stalled"});
    EXPECT_TRUE(contains(message_of([&] { writer.add_row({1.0}); }), "3 columns"));
    writer.commit();
    const CsvTable table(at("t.csv"));
    EXPECT_EQ(table.number(0, 0), third);
    EXPECT_EQ(table.number(1, 0), std::numeric_limits<double>::max());
    EXPECT_EQ(table.integer(0, 1), -7);
    EXPECT_EQ(table.text(1, 2), "stalled");
    if (german) std::setlocale(LC_ALL, "C");
}

}  // namespace
}  // namespace fermat
