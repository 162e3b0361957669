#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace fermat {

/// What a reader says of input that it took: what it left out, filled in, guessed or had no use
/// for, one sentence each with its count. A reader never prints: whoever called it tells these, the
/// program as `fermat: warning: ...`, Python as a UserWarning.
class Notes {
  public:
    /// The same sentence twice, as of a file that is read twice, is one.
    void add(std::string sentence) {
        const auto end = sentences_.end();
        if (std::find(sentences_.begin(), end, sentence) == end) {
            sentences_.push_back(std::move(sentence));
        }
    }
    const std::vector<std::string>& sentences() const { return sentences_; }

  private:
    std::vector<std::string> sentences_;
};

}  // namespace fermat
