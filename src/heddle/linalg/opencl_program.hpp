#pragma once

#include <string>

#include "heddle/runtime/kernel.hpp"

/// The kernels that update a tile, in OpenCL C (the folder opencl), for devices that cannot run functions of the
/// program.
namespace heddle::linalg::opencl {

/// gemm, syrk, trsm, ormqr and tsmqr for elements of type T.
template <class T>
[[nodiscard]] std::string tile_program();

/// add, subtract, scale and multiply.
[[nodiscard]] std::string synthetic_program();

/// For gemm and syrk: a group for each block of the tile that is written, the last argument.
[[nodiscard]] runtime::WorkItems per_block(const runtime::Job& job);
/// For ormqr and tsmqr: a group for each strip of columns of the last argument.
[[nodiscard]] runtime::WorkItems per_strip(const runtime::Job& job);
/// For trsm: a group for each strip of right-hand sides, rows of the last argument where the triangle is to its right.
[[nodiscard]] runtime::WorkItems per_right_hand_sides(const runtime::Job& job);

}  // namespace heddle::linalg::opencl
