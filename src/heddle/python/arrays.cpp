#include "heddle/python/arrays.hpp"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <type_traits>
#include <utility>

#include "heddle/model/error.hpp"

namespace heddle::python {
namespace {

/// Elements at equal distances.
struct Dimension {
  std::size_t count;
  std::size_t stride;  ///< in bytes
};

/// Those of more than one element, the closest elements first.
std::vector<Dimension> dimensions_of(const py::array& array, const std::string& what) {
  std::vector<Dimension> dimensions;
  for (py::ssize_t i = 0; i < array.ndim(); ++i) {
    if (array.shape(i) == 1) continue;
    if (array.strides(i) < 0) throw InputError(what + " is an array with negative strides; expected a copy of it");
    dimensions.push_back({static_cast<std::size_t>(array.shape(i)), static_cast<std::size_t>(array.strides(i))});
  }
  std::ranges::sort(dimensions, {}, &Dimension::stride);
  return dimensions;
}

void check_elements(const py::array& array, const std::string& what) {
  if (array.dtype().attr("hasobject").cast<bool>()) {
    throw InputError(what + " is an array of Python objects; expected elements that can be copied byte by byte");
  }
}

/// Whether [begin, begin + bytes) has a byte of one of the runs.
bool touches(std::uintptr_t begin, std::size_t bytes, const ArrayLayout& runs) {
  const auto leading = static_cast<std::int64_t>(runs.piece.leading);
  const auto width = static_cast<std::int64_t>(runs.shape.rows);
  const auto from = static_cast<std::int64_t>(begin - runs.begin());
  const auto last = static_cast<std::int64_t>(runs.shape.columns) - 1;
  const auto until = from + static_cast<std::int64_t>(bytes);
  if (until <= 0) return false;
  // The last run that begins before the end must end behind the begin.
  const std::int64_t run = std::min(last, (until - 1) / leading);
  return run * leading + width > from;
}

template <class T>
std::shared_ptr<const runtime::Reduction> sum() {
  // Data are bytes, so the elements are read and written as such.
  const auto visit = [](const runtime::Shape& shape, auto&& element) {
    for (std::size_t column = 0; column < shape.columns; ++column) {
      for (std::size_t row = 0; row < shape.rows; row += sizeof(T)) element(row, column);
    }
  };
  const auto at = [](const runtime::Piece& piece, std::size_t row, std::size_t column) {
    return static_cast<std::byte*>(piece.address) + row + column * piece.leading;
  };
  return std::make_shared<const runtime::Reduction>(runtime::Reduction{
      [=](const runtime::Piece& copy, const runtime::Shape& shape) {
        visit(shape, [&](std::size_t row, std::size_t column) { std::memset(at(copy, row, column), 0, sizeof(T)); });
      },
      [=](const runtime::Piece& into, const runtime::Piece& from, const runtime::Shape& shape) {
        visit(shape, [&](std::size_t row, std::size_t column) {
          T one;
          T other;
          std::memcpy(&one, at(into, row, column), sizeof(T));
          std::memcpy(&other, at(from, row, column), sizeof(T));
          one = static_cast<T>(one + other);
          std::memcpy(at(into, row, column), &one, sizeof(T));
        });
      }});
}

/// Sums wrap around as those of numpy do, hence of unsigned numbers. Null: not a number.
std::shared_ptr<const runtime::Reduction> sum_of(char kind, py::ssize_t bytes) {
  if (kind == 'f' && bytes == 4) return sum<float>();
  if (kind == 'f' && bytes == 8) return sum<double>();
  if (kind == 'c' && bytes == 8) return sum<std::complex<float>>();
  if (kind == 'c' && bytes == 16) return sum<std::complex<double>>();
  if (kind != 'i' && kind != 'u') return nullptr;
  switch (bytes) {
    case 1:
      return sum<std::uint8_t>();
    case 2:
      return sum<std::uint16_t>();
    case 4:
      return sum<std::uint32_t>();
    case 8:
      return sum<std::uint64_t>();
    default:
      return nullptr;
  }
}

}  // namespace

ArrayLayout layout_of(const py::array& array, const std::string& what) {
  check_elements(array, what);
  std::size_t run = static_cast<std::size_t>(array.itemsize());
  Dimension outer{1, 0};
  for (const auto& [count, stride] : dimensions_of(array, what)) {
    if (outer.count == 1 && stride == run) {
      run *= count;
    } else if (outer.count == 1 && stride > run) {
      outer = {count, stride};
    } else if (outer.count > 1 && stride == outer.count * outer.stride) {
      outer.count *= count;
    } else {
      throw InputError(what +
                       " is an array whose elements are neither one block nor equal blocks at equal distances; "
                       "expected a copy of it");
    }
  }
  if (outer.count == 1) outer.stride = run;
  return {{const_cast<void*>(array.data()), outer.stride}, {run, outer.count, 1}};
}

bool overlap(const ArrayLayout& a, const ArrayLayout& b) {
  if (a.begin() >= b.begin() + b.span() || b.begin() >= a.begin() + a.span()) return false;
  const ArrayLayout& fewer = a.shape.columns <= b.shape.columns ? a : b;
  const ArrayLayout& more = &fewer == &a ? b : a;
  for (std::size_t i = 0; i < fewer.shape.columns; ++i) {
    if (touches(fewer.begin() + i * fewer.piece.leading, fewer.shape.rows, more)) return true;
  }
  return false;
}

py::array array_at(const py::array& array, const ArrayLayout& layout, const runtime::Argument& there) {
  std::vector<py::ssize_t> strides(array.strides(), array.strides() + array.ndim());
  for (py::ssize_t& stride : strides) {
    stride = static_cast<py::ssize_t>(stride_in(there, static_cast<std::size_t>(stride), layout.piece.leading));
  }
  return py::array(array.dtype(), std::vector<py::ssize_t>(array.shape(), array.shape() + array.ndim()), strides,
                   there.piece.address, py::none());
}

py::array view_of(const py::array& array, bool writeable) {
  py::array view(array.dtype(), std::vector<py::ssize_t>(array.shape(), array.shape() + array.ndim()),
                 std::vector<py::ssize_t>(array.strides(), array.strides() + array.ndim()), array.data(), array);
  if (!writeable) py::detail::array_proxy(view.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return view;
}

std::shared_ptr<ArrayDatum> ArrayData::at(runtime::Runtime& runtime, const py::array& array, const std::string& what) {
  const ArrayLayout layout = layout_of(array, what);
  const std::uintptr_t begin = layout.begin();
  // No two data share their first byte. So only a new one costs a look at its neighbours, which may be all columns of a
  // matrix.
  if (const auto same = data_.find(begin); same != data_.end() && same->second->layout == layout) return same->second;
  for (auto next = data_.lower_bound(begin - std::min(begin, longest_));
       next != data_.end() && next->first < begin + layout.span(); ++next) {
    if (overlap(next->second->layout, layout)) {
      throw InputError(what +
                       " overlaps another array that tasks use, and is not the same; Runtime.wait() ends its use");
    }
  }
  const runtime::Matrix<std::byte> memory{static_cast<std::byte*>(layout.piece.address), layout.shape.rows,
                                          layout.shape.columns, layout.piece.leading};
  auto datum = std::make_shared<ArrayDatum>(ArrayDatum{layout, array, runtime.data(memory)});
  longest_ = std::max(longest_, layout.span());
  data_.emplace(begin, datum);
  return datum;
}

void make_reducible(ArrayDatum& datum, const py::array& array, const std::string& what) {
  auto reduction = sum_of(array.dtype().kind(), array.itemsize());
  const std::string type = py::str(array.dtype());
  if (!reduction || !array.dtype().attr("isnative").cast<bool>()) {
    throw InputError(what + " is an array of " + type +
                     ", which cannot be summed up; expected integers, floats or complex numbers");
  }
  const py::gil_scoped_release release;
  static std::mutex mutex;  // of all summed_as
  const std::lock_guard lock(mutex);
  if (datum.summed_as == type) return;
  if (!datum.summed_as.empty()) {
    throw InputError(what + " is an array of " + type + ", and other tasks sum up into it as " + datum.summed_as);
  }
  runtime::set_reduction(datum.handle.block(), std::move(reduction));
  datum.summed_as = type;
}

std::vector<std::shared_ptr<ArrayDatum>> ArrayData::take_unused() {
  std::vector<std::shared_ptr<ArrayDatum>> unused;
  std::erase_if(data_, [&](auto& one) {
    if (one.second.use_count() > 1) return false;
    unused.push_back(std::move(one.second));
    return true;
  });
  if (data_.empty()) longest_ = 0;
  return unused;
}

std::vector<std::shared_ptr<ArrayDatum>> ArrayData::take_all() {
  std::vector<std::shared_ptr<ArrayDatum>> all;
  for (auto& [begin, datum] : data_) all.push_back(std::move(datum));
  data_.clear();
  return all;
}

runtime::AnyUse use_of(const ArrayDatum& datum, AccessMode mode) {
  runtime::AnyUse use = runtime::read(datum.handle);
  use.mode = mode;
  return use;
}

}  // namespace heddle::python
