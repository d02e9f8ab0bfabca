#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include "heddle/model/access.hpp"
#include "heddle/runtime/reduction.hpp"
#include "heddle/runtime/views.hpp"

namespace heddle::runtime {

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
    set_reduction(block_.get(), element_wise<typename ViewTraits<V>::Element>(neutral, std::move(combine)));
  }

 private:
  std::unique_ptr<Block, ReleaseBlock> block_;
};

/// How a task uses a datum: an argument of Runtime::submit.
template <View V, AccessMode M>
struct Use {
  Block* block;
};

/// A use of a datum of any type.
struct AnyUse {
  template <View V, AccessMode M>
  AnyUse(Use<V, M> use) : block(use.block), mode(M) {}  // NOLINT(google-explicit-constructor): for lists of them

  Block* block;
  AccessMode mode;
};

template <View V>
[[nodiscard]] Use<V, AccessMode::read> read(const Data<V>& data) {
  return {data.block()};
}
/// The task overwrites all of it without looking at what it was.
template <View V>
[[nodiscard]] Use<V, AccessMode::write> write(const Data<V>& data) {
  return {data.block()};
}
/// Read and written.
template <View V>
[[nodiscard]] Use<V, AccessMode::read_write> rw(const Data<V>& data) {
  return {data.block()};
}
/// Read and written; tasks that follow each other and commute on the datum may run in any order, never at once.
template <View V>
[[nodiscard]] Use<V, AccessMode::commute> commute(const Data<V>& data) {
  return {data.block()};
}
/// Added to, in any order: sums, or what Data::reduce_with says. Tasks that follow each other and reduce into the datum
/// may run at once; their kernel is given the value, or a private copy that began as neutral (zero) and that a task of
/// kernel "combine" adds to the value when another task needs it, or at wait(). On devices, they run one at a time.
template <View V>
[[nodiscard]] Use<V, AccessMode::reduce> reduce(const Data<V>& data) {
  return {data.block()};
}

}  // namespace heddle::runtime
