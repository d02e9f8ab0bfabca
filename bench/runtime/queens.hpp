#pragma once

#include <cstdint>

namespace heddle::bench {

/// The first rows of a chess board, with a queen in each that attacks no other.
class Board {
 public:
  explicit Board(int side) : rows_(side), free_((1U << static_cast<unsigned>(side)) - 1) {}

  [[nodiscard]] bool is_full() const { return rows_ == 0; }
  /// Calls visit(board) for each board that has one more queen, in the next row.
  template <class Visit>
  void for_each_next(Visit&& visit) const {
    if (is_full()) return;
    for (std::uint32_t places = free_ & ~(columns_ | left_ | right_); places != 0; places &= places - 1) {
      const std::uint32_t place = places & (0 - places);
      Board next = *this;
      --next.rows_;
      next.columns_ |= place;
      next.left_ = (left_ | place) << 1U;
      next.right_ = (right_ | place) >> 1U;
      visit(next);
    }
  }

 private:
  int rows_;  ///< without a queen
  std::uint32_t free_;
  std::uint32_t columns_ = 0;  ///< with a queen
  std::uint32_t left_ = 0;     ///< places of the next row that a queen attacks on a diagonal
  std::uint32_t right_ = 0;
};

/// In how many ways the other rows can be filled, without tasks.
[[nodiscard]] inline std::uint64_t count_queens(const Board& board) {
  if (board.is_full()) return 1;
  std::uint64_t count = 0;
  board.for_each_next([&](const Board& next) { count += count_queens(next); });
  return count;
}

/// The same with a task per placement.
[[nodiscard]] std::uint64_t queens_on_openmp(int side);

}  // namespace heddle::bench
