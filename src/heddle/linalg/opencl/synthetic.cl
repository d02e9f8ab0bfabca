// The synthetic tasks: a work item for each element, whose result is exact modulo 2^32.

kernel void add(global const uint* x, uint x_size, global uint* y, uint y_size) {
  const size_t i = get_global_id(0);
  y[i] += x[i];
}

kernel void subtract(global const uint* x, uint x_size, global uint* y, uint y_size) {
  const size_t i = get_global_id(0);
  y[i] -= x[i];
}

kernel void scale(uint factor, global uint* y, uint y_size) {
  y[get_global_id(0)] *= factor;
}

// C := C + A B
kernel void multiply(global const uint* a, uint a_rows, uint a_columns, global const uint* b, uint b_rows,
                     uint b_columns, global uint* c, uint c_rows, uint c_columns) {
  const size_t i = get_global_id(0);
  const size_t j = get_global_id(1);
  uint sum = 0;
  for (size_t k = 0; k < a_columns; ++k) sum += a[i + k * a_rows] * b[k + j * b_rows];
  c[i + j * c_rows] += sum;
}
