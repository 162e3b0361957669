#pragma once

#include <string>
#include <string_view>

namespace fermat::cli {

/// One self-contained HTML file (report/page.html with its style and script inside) that shows the
/// data of report_data. Nothing in it asks for the network.
std::string report_page(std::string_view title, std::string_view data);

}  // namespace fermat::cli
