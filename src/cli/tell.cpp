#include "cli/tell.hpp"

#include <spdlog/spdlog.h>

namespace fermat::cli {

void tell(const Notes& notes) {
    for (const std::string& sentence : notes.sentences()) spdlog::warn("{}", sentence);
}

}  // namespace fermat::cli
