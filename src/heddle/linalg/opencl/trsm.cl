// Triangular systems: a group of work items for each strip of right-hand sides.

// blas::Triangular
typedef struct {
  uchar side;
  uchar triangle;
  uchar op;
  uchar diagonal;
} Triangular;
enum { LEFT, RIGHT };   // blas::Side
enum { LOWER, UPPER };  // blas::Triangle
enum { STORED, UNIT };  // blas::Diagonal

// X := L^-1 X, both in panels, X transposed: each item has columns of its own.
void substitute(local const REAL* l, bool unit, uint order, local REAL* x) {
  for (uint column = item(STRIP_SIDE); column < STRIP; column += STRIP_SIDE * STRIP_SIDE) {
    for (uint k = 0; k < order; ++k) {
      const REAL sum = x[place(STRIP_SIDE, column, k)];
      const REAL solution = unit ? sum : sum / l[place(STRIP_SIDE, k, k)];
      x[place(STRIP_SIDE, column, k)] = solution;
      for (uint i = k + 1; i < order; ++i) {
        x[place(STRIP_SIDE, column, i)] -= l[place(STRIP_SIDE, i, k)] * solution;
      }
    }
  }
}

// Every form is brought to L X = B with L lower triangular: a triangle to the right of X is that of the transposed
// system, an upper one is lower when its last row and column are the first.
__attribute__((reqd_work_group_size(STRIP_SIDE, STRIP_SIDE, 1)))
kernel void trsm(Triangular form, global const REAL* a, uint a_rows, uint a_columns, global REAL* b, uint b_rows,
                 uint b_columns) {
  local REAL a_panel[PANEL_ROOM];
  local REAL b_panel[PANEL_ROOM];
  const uint order = min(a_rows, a_columns);
  View l = apply(form.op, part(matrix(a, a_rows, a_columns), 0, 0, order, order));
  View x = matrix(b, b_rows, b_columns);
  bool lower = (form.triangle == LOWER) == (form.op == PLAIN);
  if (form.side == RIGHT) {
    l = transposed(l);
    x = transposed(x);
    lower = !lower;
  }
  x = part(x, 0, STRIP * get_group_id(0), order, STRIP);
  if (!lower) {
    l = upside_down(transposed(upside_down(transposed(l))));
    x = upside_down(x);
  }
  uint k = 0;
  do {
    const View block = part(x, k, 0, STRIP, STRIP);
    Sum sum = zero();
    add_product(STRIP_SIDE, part(l, k, 0, STRIP, k), x, a_panel, b_panel, &sum);
    update(STRIP_SIDE, -1, &sum, 1, block, false);
    barrier(CLK_GLOBAL_MEM_FENCE);
    load(STRIP_SIDE, part(l, k, k, STRIP, STRIP), a_panel);
    load(STRIP_SIDE, transposed(block), b_panel);
    barrier(CLK_LOCAL_MEM_FENCE);
    substitute(a_panel, form.diagonal == UNIT, block.rows, b_panel);
    barrier(CLK_LOCAL_MEM_FENCE);
    unload(STRIP_SIDE, b_panel, transposed(block));
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    k += STRIP;
  } while (k < order);
}
