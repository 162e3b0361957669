#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

namespace fermat {

/// Shows the '#' lines before a table's header to `found`, without their '#', until it says that it
/// has what it wants. What a table keeps beside its columns stands there: its plane, its units.
void look_at_head(const std::filesystem::path& table,
                  const std::function<bool(std::string_view)>& found);

}  // namespace fermat
