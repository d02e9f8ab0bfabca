// Products of blocks, of which the other files make their kernels. The program begins with definitions of
//   REAL         float or double
//   PER_ITEM     of a block, a work item has PER_ITEM x PER_ITEM elements
//   GEMM_SIDE    GEMM_SIDE x GEMM_SIDE work items have a block of a product together
//   STRIP_SIDE   STRIP_SIDE x STRIP_SIDE have a block of a strip: columns that they compute from top to bottom
//   PANEL        elements of a factor that are in local memory at once

#if defined(cl_khr_fp64)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define ALL UINT_MAX  // rows or columns to the end
#define GEMM_BLOCK (PER_ITEM * GEMM_SIDE)
#define STRIP (PER_ITEM * STRIP_SIDE)
#define PANEL_ROOM (PANEL + PANEL / STRIP)  // see place()

enum { PLAIN, TRANSPOSED };  // blas::Op

// A matrix whose element (i, j) is at[i * down + j * right].
typedef struct {
  global REAL* at;
  long down;
  long right;
  uint rows;
  uint columns;
} View;

View matrix(global const REAL* at, uint rows, uint columns) {
  const View all = {(global REAL*)at, 1, rows, rows, columns};
  return all;
}

// What there is of `rows` x `columns` elements from (row, column) on.
View part(View a, uint row, uint column, uint rows, uint columns) {
  const View block = {a.at + row * a.down + column * a.right, a.down, a.right, min(rows, a.rows - min(row, a.rows)),
                      min(columns, a.columns - min(column, a.columns))};
  return block;
}

View transposed(View a) {
  const View other = {a.at, a.right, a.down, a.columns, a.rows};
  return other;
}

View apply(uchar op, View a) {
  return op == PLAIN ? a : transposed(a);
}

// The last row first.
View upside_down(View a) {
  const View other = {a.at + ((long)a.rows - 1) * a.down, -a.down, a.right, a.rows, a.columns};
  return other;
}

global REAL* element(View a, uint row, uint column) {
  return a.at + row * a.down + column * a.right;
}

bool has(View a, uint row, uint column) {
  return row < a.rows && column < a.columns;
}

// A panel holds `height` x `depth` elements of the left factor, or of the right one transposed. A column has room for
// one more, so that neighbours in a row are in different banks.
uint height(uint side) {
  return PER_ITEM * side;
}
uint depth(uint side) {
  return PANEL / height(side);
}
uint place(uint side, uint i, uint k) {
  return k * (height(side) + 1) + i;
}

uint item(uint side) {
  return get_local_id(0) + side * get_local_id(1);
}

// Row and column of element number e of a panel of `a`: in the order in which they lie in memory, so that items beside
// each other reach what is beside each other.
uint2 position(uint side, View a, uint e) {
  return a.down == 1 || a.down == -1 ? (uint2)(e % height(side), e / height(side))
                                     : (uint2)(e / depth(side), e % depth(side));
}

// Where `a` has no elements, zeros.
void load(uint side, View a, local REAL* panel) {
  for (uint e = item(side); e < PANEL; e += side * side) {
    const uint2 at = position(side, a, e);
    panel[place(side, at.x, at.y)] = has(a, at.x, at.y) ? *element(a, at.x, at.y) : 0;
  }
}

// The other way; each item writes what it would load.
void unload(uint side, local const REAL* panel, View a) {
  for (uint e = item(side); e < PANEL; e += side * side) {
    const uint2 at = position(side, a, e);
    if (has(a, at.x, at.y)) *element(a, at.x, at.y) = panel[place(side, at.x, at.y)];
  }
}

// What one item has of a block: of item (x, y) the rows x, x + side, ..., and the columns y, y + side, ...
typedef struct {
  REAL at[PER_ITEM][PER_ITEM];
} Sum;

Sum zero() {
  Sum sum;
  for (uint r = 0; r < PER_ITEM; ++r) {
    for (uint c = 0; c < PER_ITEM; ++c) sum.at[r][c] = 0;
  }
  return sum;
}

void add_panels(uint side, local const REAL* a, local const REAL* b, Sum* sum) {
  for (uint k = 0; k < depth(side); ++k) {
    REAL right[PER_ITEM];
    for (uint c = 0; c < PER_ITEM; ++c) right[c] = b[place(side, get_local_id(1) + c * side, k)];
    for (uint r = 0; r < PER_ITEM; ++r) {
      const REAL left = a[place(side, get_local_id(0) + r * side, k)];
      for (uint c = 0; c < PER_ITEM; ++c) sum->at[r][c] += left * right[c];
    }
  }
}

// sum += A B, where A has at most `height` rows and B as many columns. Afterwards the items may write to A and B.
//
// Here and in other loops with barriers the test is at the end: if such a loop may be skipped, PoCL compiles all that
// follows it twice.
void add_product(uint side, View a, View b, local REAL* a_panel, local REAL* b_panel, Sum* sum) {
  const View b_transposed = transposed(b);
  uint k = 0;
  do {
    load(side, part(a, 0, k, ALL, depth(side)), a_panel);
    load(side, part(b_transposed, 0, k, ALL, depth(side)), b_panel);
    barrier(CLK_LOCAL_MEM_FENCE);
    add_panels(side, a_panel, b_panel, sum);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    k += depth(side);
  } while (k < a.columns);
}

// C := alpha sum + beta C; as in BLAS, beta = 0 overwrites whatever C holds.
void update(uint side, REAL alpha, const Sum* sum, REAL beta, View c, bool lower_triangle) {
  for (uint r = 0; r < PER_ITEM; ++r) {
    for (uint s = 0; s < PER_ITEM; ++s) {
      const uint i = get_local_id(0) + r * side;
      const uint j = get_local_id(1) + s * side;
      if (!has(c, i, j) || (lower_triangle && i < j)) continue;
      global REAL* target = element(c, i, j);
      *target = alpha * sum->at[r][s] + (beta == 0 ? 0 : beta * *target);
    }
  }
}

// sum += C
void add(uint side, View c, Sum* sum) {
  for (uint r = 0; r < PER_ITEM; ++r) {
    for (uint s = 0; s < PER_ITEM; ++s) {
      const uint i = get_local_id(0) + r * side;
      const uint j = get_local_id(1) + s * side;
      if (has(c, i, j)) sum->at[r][s] += *element(c, i, j);
    }
  }
}

// The sums become a right factor.
void store(uint side, const Sum* sum, local REAL* panel) {
  for (uint r = 0; r < PER_ITEM; ++r) {
    for (uint c = 0; c < PER_ITEM; ++c) {
      panel[place(side, get_local_id(1) + c * side, get_local_id(0) + r * side)] = sum->at[r][c];
    }
  }
}
