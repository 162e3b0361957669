#pragma once

#include <cstddef>
#include <memory>

#include "core/huge_pages.hpp"

namespace fermat {

/// Room for values that have none yet, in large pages: the adjoint walks through its fields along
/// their slow axes.
template <class T>
class HugeArray {
  public:
    explicit HugeArray(std::size_t count) : values_(std::make_unique_for_overwrite<T[]>(count)) {
        advise_huge_pages(values_.get(), count * sizeof(T));
    }
    T* data() const { return values_.get(); }
    T& operator[](std::size_t n) const { return values_[n]; }

  private:
    std::unique_ptr<T[]> values_;
};

}  // namespace fermat
