#include "io/table_head.hpp"

#include <string>

#include "io/input_file.hpp"
#include "io/text.hpp"

namespace fermat {

void look_at_head(const std::filesystem::path& table,
                  const std::function<bool(std::string_view)>& found) {
    const std::string content = read_whole_file(table);
    LineReader lines(content);
    while (const auto line = lines.next()) {
        const std::string_view shown = trim(*line);
        if (shown.empty()) continue;
        if (!shown.starts_with('#') || found(trim(shown.substr(1)))) return;
    }
}

}  // namespace fermat
