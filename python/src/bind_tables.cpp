#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "bindings.hpp"
#include "io/csv.hpp"

namespace fermat::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

/// The columns of a CSV table of ours by their names, as texts.
nb::dict read_columns(const std::filesystem::path& path) {
    const CsvTable table(path);
    nb::dict out;
    for (std::size_t column = 0; column < table.names().size(); ++column) {
        std::vector<std::string> values;
        for (std::size_t row = 0; row < table.rows(); ++row) {
            values.emplace_back(table.text(row, column));
        }
        out[table.names()[column].c_str()] = values;
    }
    return out;
}

}  // namespace

void bind_tables(nb::module_& module) {
    module.def("read_columns", &read_columns, "path"_a,
               nb::sig("def read_columns(path: str | os.PathLike[str]) -> dict[str, list[str]]"),
               "Columns of a CSV table by their names, as texts.");
}

}  // namespace fermat::python
