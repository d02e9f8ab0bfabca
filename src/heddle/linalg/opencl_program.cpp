#include "heddle/linalg/opencl_program.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>

#include "heddle/linalg/kernels.hpp"
#include "heddle/linalg/opencl/synthetic/embedded.hpp"
#include "heddle/linalg/opencl/tiles/embedded.hpp"

namespace heddle::linalg::opencl {
namespace {

using blas::Diagonal;
using blas::Op;
using blas::Side;
using blas::Triangle;
using blas::Triangular;
using runtime::Job;
using runtime::WorkItems;

// What blocks.cl tells of these. The panels take 17 KiB in double precision, of at least 32 KiB of local memory.
constexpr std::size_t kPerItem = 4;
constexpr std::size_t kGemmSide = 16;
constexpr std::size_t kStripSide = 8;
constexpr std::size_t kPanel = 1024;

constexpr std::size_t kStrip = kPerItem * kStripSide;
static_assert(kPanel == kStrip * kStrip, "a strip of W is a panel, and so is a diagonal block of a triangle");
static_assert(inner_block(2 * kStrip) == kStrip, "a factor T of reflectors is a panel");

// What the files declare again.
static_assert(sizeof(Triangular) == 4 && offsetof(Triangular, side) == 0 && offsetof(Triangular, triangle) == 1 &&
              offsetof(Triangular, op) == 2 && offsetof(Triangular, diagonal) == 3);
template <class T>
constexpr bool kIsDeclaredAgain =
    sizeof(Product<T>) == 3 * sizeof(T) && offsetof(Product<T>, op_a) == 0 && offsetof(Product<T>, op_b) == 1 &&
    offsetof(Product<T>, alpha) == sizeof(T) && offsetof(Product<T>, beta) == 2 * sizeof(T);
static_assert(kIsDeclaredAgain<double> && kIsDeclaredAgain<float>);
static_assert(sizeof(Op) == 1 && static_cast<int>(Op::plain) == 0 && static_cast<int>(Op::transposed) == 1);
static_assert(static_cast<int>(Side::left) == 0 && static_cast<int>(Side::right) == 1);
static_assert(static_cast<int>(Triangle::lower) == 0 && static_cast<int>(Triangle::upper) == 1);
static_assert(static_cast<int>(Diagonal::stored) == 0 && static_cast<int>(Diagonal::unit) == 1);

std::string define(const char* name, const std::string& value) {
  return std::string("#define ") + name + " " + value + "\n";
}

template <class Files>
std::string joined(const Files& files) {
  std::string text;
  for (const auto& file : files) text += file.text;
  return text;
}

/// Groups of side x side items for `rows` x `columns` blocks.
WorkItems groups(std::size_t side, std::size_t rows, std::size_t columns) {
  return {{side * rows, side * columns, 1}, {{side, side, 1}}};
}

std::size_t blocks(std::size_t elements, std::size_t block) {
  return (elements + block - 1) / block;
}

WorkItems strips(std::size_t columns) {
  return groups(kStripSide, blocks(columns, kStrip), 1);
}

}  // namespace

template <class T>
std::string tile_program() {
  return define("REAL", std::is_same_v<T, double> ? "double" : "float") + define("PER_ITEM", std::to_string(kPerItem)) +
         define("GEMM_SIDE", std::to_string(kGemmSide)) + define("STRIP_SIDE", std::to_string(kStripSide)) +
         define("PANEL", std::to_string(kPanel)) + joined(tiles::files());
}

std::string synthetic_program() {
  return joined(synthetic::files());
}

WorkItems per_block(const Job& job) {
  const runtime::Shape& written = job.arguments().back().shape;
  constexpr std::size_t kBlock = kPerItem * kGemmSide;
  return groups(kGemmSide, blocks(written.rows, kBlock), blocks(written.columns, kBlock));
}

WorkItems per_strip(const Job& job) {
  return strips(job.arguments().back().shape.columns);
}

WorkItems per_right_hand_sides(const Job& job) {
  Triangular form{};
  std::memcpy(&form, job.values(), sizeof form);
  const runtime::Shape& written = job.arguments().back().shape;
  return strips(form.side == Side::left ? written.columns : written.rows);
}

template std::string tile_program<double>();
template std::string tile_program<float>();

}  // namespace heddle::linalg::opencl
