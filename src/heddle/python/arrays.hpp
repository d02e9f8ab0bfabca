#pragma once

#include <pybind11/numpy.h>

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "heddle/model/access.hpp"
#include "heddle/runtime/runtime.hpp"

/// Arrays of numpy as data of a runtime. All functions and objects are used with the interpreter's lock, where they do
/// not say otherwise.
namespace heddle::python {

namespace py = pybind11;

/// What a task is to do with an array: the argument that Python code passes to Runtime.submit.
struct ArrayUse {
  py::array array;
  AccessMode mode;
};

/// The memory of an array: `shape.columns` runs of `shape.rows` bytes, which begin `piece.leading` bytes apart. Arrays
/// with equal layouts are the same memory, whatever their dimensions.
struct ArrayLayout {
  runtime::Piece piece;
  runtime::Shape shape;

  [[nodiscard]] bool operator==(const ArrayLayout& other) const {
    return piece.address == other.piece.address && piece.leading == other.piece.leading && shape == other.shape;
  }
  [[nodiscard]] std::uintptr_t begin() const { return reinterpret_cast<std::uintptr_t>(piece.address); }
  /// From the first byte to behind the last one.
  [[nodiscard]] std::size_t span() const { return (shape.columns - 1) * piece.leading + shape.rows; }
};

/// Throws InputError, which begins with `what` ("argument 2"), when the elements are objects of Python, or are not one
/// block, equal blocks at equal distances, or single elements at equal distances: such as every second element of every
/// second row. The array has elements.
[[nodiscard]] ArrayLayout layout_of(const py::array& array, const std::string& what);

/// Whether they have a byte in common.
[[nodiscard]] bool overlap(const ArrayLayout& a, const ArrayLayout& b);

/// The stride, in bytes, of an array whose layout has runs that begin `leading` bytes apart, in a copy of its memory.
[[nodiscard]] inline std::size_t stride_in(const runtime::Argument& copy, std::size_t stride, std::size_t leading) {
  const bool is_between_runs = copy.shape.columns > 1 && stride >= leading;
  return is_between_runs ? stride / leading * copy.piece.leading : stride;
}

/// An array of the form of `array`, whose layout is `layout`, on a copy of its memory at `there`. Nothing keeps that
/// memory alive.
[[nodiscard]] py::array array_at(const py::array& array, const ArrayLayout& layout, const runtime::Argument& there);

/// An array on the same memory, which it keeps alive.
[[nodiscard]] py::array view_of(const py::array& array, bool writeable);

/// Memory of arrays that is registered with a runtime.
struct ArrayDatum {
  ArrayLayout layout;
  py::array array;  ///< keeps the memory alive
  runtime::Data<runtime::Matrix<std::byte>> handle;
  std::string summed_as{};  ///< the type of elements that tasks reduce into it; empty: none
};

/// The arrays that tasks of one runtime use.
class ArrayData {
 public:
  /// The datum of the array's memory; registers it if it is new. Throws InputError as layout_of() does, and when the
  /// array overlaps another one that is registered, without being the same memory.
  [[nodiscard]] std::shared_ptr<ArrayDatum> at(runtime::Runtime& runtime, const py::array& array,
                                               const std::string& what);
  /// Takes out what nothing else holds. The caller destroys the handles without the interpreter's lock.
  [[nodiscard]] std::vector<std::shared_ptr<ArrayDatum>> take_unused();
  [[nodiscard]] std::vector<std::shared_ptr<ArrayDatum>> take_all();

 private:
  std::map<std::uintptr_t, std::shared_ptr<ArrayDatum>> data_;  ///< by the first byte
  std::size_t longest_ = 0;                                     ///< of all spans
};

/// Has tasks that reduce sum up into it. Throws InputError when its elements cannot be added, or were of another type
/// before.
void make_reducible(ArrayDatum& datum, const py::array& array, const std::string& what);

/// How a datum is used, for Runtime::submit.
[[nodiscard]] runtime::AnyUse use_of(const ArrayDatum& datum, AccessMode mode);

}  // namespace heddle::python
