#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace fermat {

/// What a reader reports about input that it accepted: what it left out, filled in, guessed or did
/// not use, one sentence each, with a count. Readers never print. The program shows the sentences
/// as `fermat: warning: ...`, Python as a UserWarning.
class Notes {
  public:
    /// Adds a sentence unless it is there already, as when a file is read twice.
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
