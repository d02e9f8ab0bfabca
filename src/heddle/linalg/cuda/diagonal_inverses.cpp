#include "heddle/linalg/cuda/diagonal_inverses.hpp"

#include <vector>

#include "heddle/linalg/cuda/routines.hpp"

namespace heddle::linalg::cuda {
namespace {

using blas::Triangle;

constexpr std::size_t kOrder = DiagonalInverses<double>::kOrder;
constexpr std::size_t kBlock = kOrder * kOrder;  ///< elements of a block
constexpr std::size_t kLeaf = 64;                ///< cuBLAS inverts blocks of this order; larger ones are made of them
constexpr std::size_t kLeaves = kOrder / kLeaf;  ///< of a block

/// What the inversion of so many blocks needs on the device, kept from call to call: what is written once is not sent
/// again and again.
template <class T>
class Room {
 public:
  explicit Room(Workplace& workplace) : workplace_(workplace) {}

  void reserve(std::size_t count) {
    if (count <= count_) return;
    workplace_.wait();  // what uses the old memory may be under way
    count_ = 0;
    elements_ = allocate(3 * count * kBlock * sizeof(T));
    pointers_ = allocate(2 * count * kLeaves * sizeof(T*));
    count_ = count;
    std::vector<T> units(count * kBlock);
    for (std::size_t i = 0; i < count * kOrder; ++i) units[i * kOrder + i % kOrder] = 1;
    workplace_.write(identities(), units.data(), units.size());
    std::vector<T*> leaves;
    for (T* const of : {triangles(), inverses()}) {
      for (std::size_t leaf = 0; leaf < count * kLeaves; ++leaf) {
        leaves.push_back(of + leaf / kLeaves * kBlock + leaf % kLeaves * kLeaf * (kOrder + 1));
      }
    }
    workplace_.write(static_cast<T**>(pointers_.get()), leaves.data(), leaves.size());
  }

  [[nodiscard]] T* triangles() const { return static_cast<T*>(elements_.get()); }
  [[nodiscard]] T* inverses() const { return triangles() + count_ * kBlock; }
  [[nodiscard]] T* identities() const { return inverses() + count_ * kBlock; }
  /// Where the leaves of the blocks are, in the device's memory.
  [[nodiscard]] T** triangle_leaves() const { return static_cast<T**>(pointers_.get()); }
  [[nodiscard]] T** inverse_leaves() const { return triangle_leaves() + count_ * kLeaves; }

 private:
  Workplace& workplace_;
  std::size_t count_ = 0;
  DeviceMemory elements_;
  DeviceMemory pointers_;
};

/// In all blocks at once: the inverses of two diagonal parts of an order, the first at a row of the block, become that
/// of both together. Where L11 and L22 are inverted, -L22^-1 L21 L11^-1 is what is missing. The other half of the
/// triangles, which nothing reads, is room for the product.
template <class T>
void join(Workplace& workplace, Triangle triangle, T* triangles, T* inverses, std::size_t row, std::size_t order,
          std::size_t count) {
  const std::size_t next = row + order;
  const std::size_t first = row * (kOrder + 1);
  const std::size_t second = next * (kOrder + 1);
  const bool lower = triangle == Triangle::lower;
  const std::size_t beside = lower ? next + row * kOrder : row + next * kOrder;
  const std::size_t across = lower ? row + next * kOrder : next + row * kOrder;
  const auto multiply = [&](T alpha, const T* a, const T* b, T* c) {
    constexpr T kZero = 0;
    check("cublas<t>gemmStridedBatched",
          Routines<T>::kGemmBatched(workplace.blas(), CUBLAS_OP_N, CUBLAS_OP_N, number(order), number(order),
                                    number(order), &alpha, a, number(kOrder), kBlock, b, number(kOrder), kBlock, &kZero,
                                    c, number(kOrder), kBlock, number(count)));
  };
  multiply(T(1), triangles + beside, inverses + (lower ? first : second), triangles + across);
  multiply(T(-1), inverses + (lower ? second : first), triangles + across, inverses + beside);
}

}  // namespace

template <class T>
DiagonalInverses<T>::DiagonalInverses(Workplace& workplace, const blas::Triangular& form, Matrix<const T> a) {
  const std::size_t count = a.rows / kOrder;
  auto& room = workplace.kept<Room<T>>();
  room.reserve(count);
  inverses_ = room.inverses();
  for (std::size_t i = 0; i < count; ++i) {
    const Matrix<const T> block = a.block(i * kOrder, i * kOrder, kOrder, kOrder);
    workplace.copy(block, Matrix<T>{room.triangles() + i * kBlock, kOrder, kOrder, kOrder});
  }
  const Matrix<const T> identities{room.identities(), kBlock, count, kBlock};
  workplace.copy(identities, Matrix<T>{inverses_, kBlock, count, kBlock});
  constexpr T kOne = 1;
  check("cublas<t>trsmBatched",
        Routines<T>::kTrsmBatched(workplace.blas(), CUBLAS_SIDE_LEFT, flag(form.triangle), CUBLAS_OP_N,
                                  flag(form.diagonal), number(kLeaf), number(kLeaf), &kOne, room.triangle_leaves(),
                                  number(kOrder), room.inverse_leaves(), number(kOrder), number(count * kLeaves)));
  for (std::size_t order = kLeaf; order < kOrder; order *= 2) {
    for (std::size_t row = 0; row < kOrder; row += 2 * order)
      join<T>(workplace, form.triangle, room.triangles(), inverses_, row, order, count);
  }
}

template class DiagonalInverses<double>;
template class DiagonalInverses<float>;

}  // namespace heddle::linalg::cuda
