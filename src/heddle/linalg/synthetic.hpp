#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "heddle/linalg/testing.hpp"
#include "heddle/runtime/runtime.hpp"

namespace heddle::linalg {

/// Many small tasks on shared data, drawn from a seed, whose results are known to the last bit: vectors are added,
/// subtracted and scaled, matrices multiplied, in mixed sizes, modulo 2^32. Every result goes on into the final value
/// of its datum and is changed there only in ways that can be undone, so that no wrong one is lost.
class Synthetic {
 public:
  using Element = std::uint32_t;

  /// Data for `tasks` tasks. Must go before the runtime does.
  Synthetic(runtime::Runtime& runtime, std::uint64_t tasks, std::uint64_t seed);

  /// Submits the tasks.
  void submit();
  /// How many data differ from what the same tasks compute one after the other; after Runtime::wait().
  [[nodiscard]] std::size_t wrong_data(const Watch& watch = {}) const;
  /// Additions and multiplications of all tasks that were submitted.
  [[nodiscard]] double operations() const { return operations_; }

 private:
  static constexpr std::array<std::size_t, 4> kLengths{256, 1024, 4096, 16384};  ///< of vectors
  static constexpr std::array<std::size_t, 4> kSides{8, 16, 32, 64};             ///< of matrices
  static constexpr std::size_t kEach = 32;                                       ///< data of each size

  enum class Kind : std::uint8_t { add, subtract, scale, multiply };
  /// What a task does: on the data `target`, `first` and `second` of one size, which are three different ones.
  struct Step {
    Kind kind;
    std::size_t size;  ///< its place among the sizes
    std::size_t target;
    std::size_t first;
    std::size_t second;
    Element factor;  ///< odd, so that scaling can be undone
  };
  /// All data of all sizes: number `i` of size `s` is at s * kEach + i.
  struct Values {
    std::vector<std::vector<Element>> vectors;
    std::vector<std::vector<Element>> matrices;
  };

  [[nodiscard]] Step step(std::uint64_t task) const;
  [[nodiscard]] Values initial() const;

  runtime::Runtime& runtime_;
  std::uint64_t tasks_;
  std::uint64_t seed_;
  double operations_ = 0;
  Values values_;
  std::vector<runtime::Data<std::span<Element>>> vectors_;
  std::vector<runtime::Data<runtime::Matrix<Element>>> matrices_;
};

/// Independent tasks of the same four kernels, in turn: each changes a vector or a matrix of its own, and reads what
/// all share. Those that Gazolla 2017 verified (section 5.1.2).
class IndependentTasks {
 public:
  using Element = Synthetic::Element;

  /// Vectors have as many elements as the square matrices, of `side` rows. Must go before the runtime does.
  IndependentTasks(runtime::Runtime& runtime, std::size_t tasks, std::size_t side, std::uint64_t seed);

  void submit();
  /// How many results differ from what the kernels compute in this thread; after Runtime::wait().
  [[nodiscard]] std::size_t wrong_data() const;

 private:
  static constexpr std::size_t kKernels = 4;
  static constexpr Element kFactor = 5;

  [[nodiscard]] std::vector<Element> draw(std::uint64_t number) const;

  runtime::Runtime& runtime_;
  std::size_t side_;
  std::uint64_t seed_;
  std::vector<std::vector<Element>> inputs_;   ///< a vector and two matrices
  std::vector<std::vector<Element>> targets_;  ///< of each task
  runtime::Data<std::span<Element>> vector_;
  runtime::Data<runtime::Matrix<Element>> first_;
  runtime::Data<runtime::Matrix<Element>> second_;
  std::vector<runtime::Data<std::span<Element>>> vectors_;         ///< of tasks on vectors
  std::vector<runtime::Data<runtime::Matrix<Element>>> products_;  ///< of tasks on matrices
};

}  // namespace heddle::linalg
