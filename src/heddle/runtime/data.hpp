#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include "heddle/model/access.hpp"
#include "heddle/runtime/views.hpp"

namespace heddle::runtime {

struct KernelInfo;

/// How the private copies of a datum begin and come together. Associative and commutative: tasks that reduce into the
/// datum may run in any order, and at once.
struct Reduction {
  std::function<void(const Piece& copy, const Shape& shape)> fill;  ///< makes it neutral
  std::function<void(const Piece& into, const Piece& from, const Shape& shape)> combine;
};

/// Element by element: `combine(T&, const T&)` adds the second to the first.
template <class T, class Combine>
[[nodiscard]] std::shared_ptr<const Reduction> element_wise(T neutral, Combine combine) {
  const auto at = [](const Piece& piece, std::size_t row, std::size_t column) -> T& {
    return static_cast<T*>(piece.address)[row + column * piece.leading];
  };
  const auto for_all = [](const Shape& shape, auto&& visit) {
    for (std::size_t column = 0; column < shape.columns; ++column) {
      for (std::size_t row = 0; row < shape.rows; ++row) visit(row, column);
    }
  };
  return std::make_shared<const Reduction>(
      Reduction{[=](const Piece& copy, const Shape& shape) {
                  for_all(shape, [&](std::size_t row, std::size_t column) { at(copy, row, column) = neutral; });
                },
                [=](const Piece& into, const Piece& from, const Shape& shape) {
                  for_all(shape, [&](std::size_t row, std::size_t column) {
                    combine(at(into, row, column), std::as_const(at(from, row, column)));
                  });
                }});
}

template <class T>
concept Addable = requires(T a, const T b) {
  a += b;
  T{};
};

/// The sum, for elements that can be added; else none.
template <class T>
[[nodiscard]] std::shared_ptr<const Reduction> default_reduction() {
  if constexpr (Addable<T> && !std::is_const_v<T>) {
    static const std::shared_ptr<const Reduction> kSum =
        element_wise(T{}, [](T& into, const T& from) { into += from; });
    return kSum;
  } else {
    return nullptr;
  }
}

/// The plain value of combining_kernel().
struct Combination {
  const Reduction* reduction;
};

/// What brings the private copies of a datum together: a kernel whose first argument is the value and whose others are
/// the copies.
[[nodiscard]] const std::shared_ptr<const KernelInfo>& combining_kernel();

/// Memory that is registered with a runtime (Runtime::data): what the runtime keeps of it.
class Block;

void set_reduction(Block* block, std::shared_ptr<const Reduction> reduction);

/// Lets go of registered memory: waits for the tasks that use it and brings the value home.
struct ReleaseBlock {
  void operator()(Block* block) const noexcept;
};

/// Memory of the program that is registered with a runtime, until this is destroyed; meanwhile only tasks may touch it,
/// and the program after Runtime::wait(). `V` is the view that was registered: `std::span<T>`, `Matrix<T>`, or `T&`.
/// Must go before its runtime does, which ends the program otherwise; its destructor waits for the tasks that use it,
/// so it must not run inside a task. Graphs that use it cannot be run any more.
template <View V>
class Data {
 public:
  Data() = default;
  explicit Data(Block* block) : block_(block) {}

  [[nodiscard]] Block* block() const { return block_.get(); }

  /// How tasks reduce into it (reduce), where not as a sum: element by element, `combine(T&, const T&)` adds the second
  /// to the first, and adding `neutral` changes nothing. Throws InputError when nothing is registered, and after the
  /// first of them was submitted.
  template <class T, class Combine>
  void reduce_with(const T& neutral, Combine combine) {
    using Element = typename ViewTraits<V>::Element;
    constexpr bool kCombines = std::is_invocable_v<const Combine&, Element&, const Element&>;
    static_assert(kCombines, "combine must be callable as combine(T&, const T&), by several threads at once");
    if constexpr (kCombines) set_reduction(block_.get(), element_wise<Element>(neutral, std::move(combine)));
  }

 private:
  std::unique_ptr<Block, ReleaseBlock> block_;
};

/// How a task uses a datum: an argument of Runtime::submit.
template <View V, AccessMode M>
struct Use {
  static_assert(M == AccessMode::read || !detail::kReadOnly<V>,
                "data that was registered as const (std::span<const T> for example) can only be read");

  Block* block;
};

namespace detail {

template <View V>
void accept_handle(const Data<V>&);
template <class T>
concept Handle = requires(const T& data) { accept_handle(data); };

/// A use that lacks its access mode.
template <class Given>
struct UseOf {
  static_assert(!Handle<Given>, "data needs an access mode: read(x), write(x), rw(x), commute(x) or reduce(x)");
};

/// What a task is to access; `Given` is T& for a variable, T for a temporary object.
template <class Given>
struct AccessTo {
  using Object = std::remove_cvref_t<Given>;
  static constexpr bool kIsHandle = Handle<Object> || std::is_same_v<Object, Mistaken>;
  static constexpr bool kIsTemporary = Handle<Object> && !std::is_reference_v<Given>;

  static_assert(kIsHandle, "a task accesses registered data: register the memory (Runtime::data), and pass the handle");
  static_assert(!kIsTemporary,
                "the destructor of a temporary handle waits for the task: keep what Runtime::data returns in a "
                "variable, as long as tasks use the memory");
};

template <AccessMode M, class Given>
[[nodiscard]] auto access(const std::remove_reference_t<Given>& data) {
  static_assert(kChecked<AccessTo<Given>>);
  if constexpr (Handle<Given> && std::is_reference_v<Given>) {
    return []<View V>(const Data<V>& handle) { return Use<V, M>{handle.block()}; }(data);
  } else {
    return Mistaken();
  }
}

}  // namespace detail

/// A use of a datum of any type.
struct AnyUse {
  template <View V, AccessMode M>
  AnyUse(Use<V, M> use) : block(use.block), mode(M) {}  // NOLINT(google-explicit-constructor): for lists of them
  // With these the compiler tells what is missing, and does so once.
  template <View V>
  AnyUse(const Data<V>&) {
    static_assert(detail::kChecked<detail::UseOf<Data<V>>>);
  }
  AnyUse(detail::Mistaken) {}

  Block* block = nullptr;
  AccessMode mode = AccessMode::read;
};

/// The task reads it. `data` of this and the following functions is a Data, and no temporary object.
template <class Datum>
[[nodiscard]] auto read(Datum&& data) {
  return detail::access<AccessMode::read, Datum>(data);
}
/// The task overwrites all of it without looking at what it was.
template <class Datum>
[[nodiscard]] auto write(Datum&& data) {
  return detail::access<AccessMode::write, Datum>(data);
}
/// Read and written.
template <class Datum>
[[nodiscard]] auto rw(Datum&& data) {
  return detail::access<AccessMode::read_write, Datum>(data);
}
/// Read and written; tasks that follow each other and commute on the datum may run in any order, never at once.
template <class Datum>
[[nodiscard]] auto commute(Datum&& data) {
  return detail::access<AccessMode::commute, Datum>(data);
}
/// Added to, in any order: sums, or what Data::reduce_with says. Tasks that follow each other and reduce into the datum
/// may run at once; their kernel is given the value, or a private copy that began as neutral (zero) and that a task of
/// kernel "combine" adds to the value when another task needs it, or at wait(). On devices, they run one at a time.
template <class Datum>
[[nodiscard]] auto reduce(Datum&& data) {
  return detail::access<AccessMode::reduce, Datum>(data);
}

}  // namespace heddle::runtime
