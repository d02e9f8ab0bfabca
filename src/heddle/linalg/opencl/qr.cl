// Householder reflectors in blocks, as LAPACK's gemqrt and tpmqrt apply them (compact WY form): a group of work items
// for each strip of C. R. Schreiber and C. Van Loan, "A storage-efficient WY representation for products of Householder
// transformations", SIAM J. Sci. Stat. Comput. 10(1), 1989.

// op(T) as a left factor; below its diagonal T holds anything.
void load_triangular(uchar op, View t, local REAL* panel) {
  for (uint e = item(STRIP_SIDE); e < PANEL; e += STRIP_SIDE * STRIP_SIDE) {
    const uint i = e % STRIP;
    const uint k = e / STRIP;
    const REAL value = i <= k && has(t, i, k) ? *element(t, i, k) : 0;
    panel[op == PLAIN ? place(STRIP_SIDE, i, k) : place(STRIP_SIDE, k, i)] = value;
  }
}

// C := (I - V op(T) V^T) C. If there is a `top`, it stands above C, and the identity above V.
void reflect(uchar op, View v, View t, View top, View c, local REAL* a_panel, local REAL* b_panel) {
  Sum w = zero();  // V^T C
  add_product(STRIP_SIDE, transposed(v), c, a_panel, b_panel, &w);
  add(STRIP_SIDE, top, &w);
  store(STRIP_SIDE, &w, b_panel);
  load_triangular(op, t, a_panel);
  barrier(CLK_LOCAL_MEM_FENCE);
  w = zero();  // op(T) V^T C
  add_panels(STRIP_SIDE, a_panel, b_panel, &w);
  barrier(CLK_LOCAL_MEM_FENCE);
  update(STRIP_SIDE, -1, &w, 1, top, false);
  store(STRIP_SIDE, &w, b_panel);
  uint row = 0;
  do {
    load(STRIP_SIDE, part(v, row, 0, STRIP, ALL), a_panel);
    barrier(CLK_LOCAL_MEM_FENCE);
    Sum product = zero();
    add_panels(STRIP_SIDE, a_panel, b_panel, &product);
    update(STRIP_SIDE, -1, &product, 1, part(c, row, 0, STRIP, ALL), false);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    row += STRIP;
  } while (row < c.rows);
}

// Of the blocks of reflectors, each `width` wide, the first column of the one that op(Q) applies as number `step`: Q is
// the product of all from the first to the last.
uint first_column(uchar op, uint step, uint columns, uint width) {
  const uint blocks = (columns + width - 1) / width;
  return width * (op == TRANSPOSED ? step : blocks - 1 - step);
}

// C := op(Q) C. V has its ones and zeros (geqrt), T as many rows as a block has columns.
__attribute__((reqd_work_group_size(STRIP_SIDE, STRIP_SIDE, 1)))
kernel void ormqr(uchar op, global const REAL* v, uint v_rows, uint v_columns, global const REAL* t, uint t_rows,
                  uint t_columns, global REAL* c, uint c_rows, uint c_columns) {
  local REAL a_panel[PANEL_ROOM];
  local REAL b_panel[PANEL_ROOM];
  const View vs = matrix(v, v_rows, v_columns);
  const View ts = matrix(t, t_rows, t_columns);
  const View strip = part(matrix(c, c_rows, c_columns), 0, STRIP * get_group_id(0), ALL, STRIP);
  const View none = part(strip, 0, 0, 0, 0);
  uint step = 0;
  do {
    const uint k = first_column(op, step, v_columns, t_rows);
    reflect(op, part(vs, k, k, ALL, t_rows), part(ts, 0, k, ALL, t_rows), none, part(strip, k, 0, ALL, ALL), a_panel,
            b_panel);
    ++step;
  } while (step * t_rows < v_columns);
}

// op(Q) applied to A above B.
__attribute__((reqd_work_group_size(STRIP_SIDE, STRIP_SIDE, 1)))
kernel void tsmqr(uchar op, global const REAL* v, uint v_rows, uint v_columns, global const REAL* t, uint t_rows,
                  uint t_columns, global REAL* a, uint a_rows, uint a_columns, global REAL* b, uint b_rows,
                  uint b_columns) {
  local REAL a_panel[PANEL_ROOM];
  local REAL b_panel[PANEL_ROOM];
  const View vs = matrix(v, v_rows, v_columns);
  const View ts = matrix(t, t_rows, t_columns);
  const View top = part(matrix(a, a_rows, a_columns), 0, STRIP * get_group_id(0), v_columns, STRIP);
  const View strip = part(matrix(b, b_rows, b_columns), 0, STRIP * get_group_id(0), ALL, STRIP);
  uint step = 0;
  do {
    const uint k = first_column(op, step, v_columns, t_rows);
    reflect(op, part(vs, 0, k, ALL, t_rows), part(ts, 0, k, ALL, t_rows), part(top, k, 0, t_rows, ALL), strip, a_panel,
            b_panel);
    ++step;
  } while (step * t_rows < v_columns);
}
