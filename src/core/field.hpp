#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include "core/expect.hpp"
#include "core/grid.hpp"
#include "core/host_device.hpp"

namespace fermat {

/// Where memory lives. It is part of the type, so that no host pointer reaches a kernel.
enum class Space { host, device };

/// Non-owning view of values on a shape, in C order (z fastest).
template <class T, Space S = Space::host>
class FieldView {
  public:
    FieldView() = default;
    FERMAT_HD FieldView(T* data, Shape shape) : data_(data), shape_(shape) {}
    /// A view of mutable values converts to a view of const values.
    template <class U>
    requires(std::is_same_v<const U, T> && !std::is_const_v<U>) FERMAT_HD
        FieldView(FieldView<U, S> other)
        : data_(other.data()), shape_(other.shape()) {}

    FERMAT_HD T* data() const { return data_; }
    FERMAT_HD Shape shape() const { return shape_; }
    FERMAT_HD std::size_t size() const { return shape_.count(); }
    FERMAT_HD T* begin() const { return data_; }
    FERMAT_HD T* end() const { return data_ + size(); }
    FERMAT_HD T& operator[](std::size_t n) const {
        FERMAT_EXPECT(n < size());
        return data_[n];
    }
    FERMAT_HD T& operator()(int i, int j, int k) const {
        FERMAT_EXPECT(shape_.contains({i, j, k}));
        return data_[shape_.offset(i, j, k)];
    }
    FERMAT_HD T& operator()(Index3 n) const { return (*this)(n.x, n.y, n.z); }

  private:
    T* data_ = nullptr;
    Shape shape_;
};

/// Owner of values on a shape in host memory. Moves are cheap; copies must be requested by name.
template <class T>
class Field {
  public:
    Field() = default;
    /// Leaves the values unset, because solvers write every node anyway.
    explicit Field(Shape shape) : data_(new T[shape.count()]), shape_(shape) {}
    Field(Shape shape, T value) : Field(shape) { std::fill_n(data_.get(), size(), value); }

    Field copy() const {
        Field other(shape_);
        std::copy_n(data_.get(), size(), other.data_.get());
        return other;
    }

    T* data() { return data_.get(); }
    const T* data() const { return data_.get(); }
    Shape shape() const { return shape_; }
    std::size_t size() const { return shape_.count(); }
    bool empty() const { return size() == 0; }
    T* begin() { return data(); }
    T* end() { return data() + size(); }
    const T* begin() const { return data(); }
    const T* end() const { return data() + size(); }
    T& operator[](std::size_t n) { return view()[n]; }
    const T& operator[](std::size_t n) const { return view()[n]; }
    T& operator()(int i, int j, int k) { return view()(i, j, k); }
    const T& operator()(int i, int j, int k) const { return view()(i, j, k); }
    T& operator()(Index3 n) { return view()(n); }
    const T& operator()(Index3 n) const { return view()(n); }

    FieldView<T> view() { return {data(), shape_}; }
    FieldView<const T> view() const { return {data(), shape_}; }
    operator FieldView<T>() { return view(); }
    operator FieldView<const T>() const { return view(); }

    /// Releases the memory to the caller, for example to NumPy.
    std::unique_ptr<T[]> release() {
        shape_ = {};
        return std::move(data_);
    }

  private:
    std::unique_ptr<T[]> data_;
    Shape shape_;
};

}  // namespace fermat
