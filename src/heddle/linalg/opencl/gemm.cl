// Products: a group of work items for each block of C.

// linalg::Product
typedef struct {
  uchar op_a;
  uchar op_b;
  REAL alpha;
  REAL beta;
} Product;

__attribute__((reqd_work_group_size(GEMM_SIDE, GEMM_SIDE, 1)))
kernel void gemm(Product form, global const REAL* a, uint a_rows, uint a_columns, global const REAL* b, uint b_rows,
                 uint b_columns, global REAL* c, uint c_rows, uint c_columns) {
  local REAL a_panel[PANEL_ROOM];
  local REAL b_panel[PANEL_ROOM];
  const uint row = get_group_id(0) * GEMM_BLOCK;
  const uint column = get_group_id(1) * GEMM_BLOCK;
  const View left = part(apply(form.op_a, matrix(a, a_rows, a_columns)), row, 0, GEMM_BLOCK, ALL);
  const View right = part(apply(form.op_b, matrix(b, b_rows, b_columns)), 0, column, ALL, GEMM_BLOCK);
  const View block = part(matrix(c, c_rows, c_columns), row, column, GEMM_BLOCK, GEMM_BLOCK);
  Sum sum = zero();
  add_product(GEMM_SIDE, left, right, a_panel, b_panel, &sum);
  update(GEMM_SIDE, form.alpha, &sum, form.beta, block, false);
}

// C -= A A^T on and below the diagonal.
__attribute__((reqd_work_group_size(GEMM_SIDE, GEMM_SIDE, 1)))
kernel void syrk(global const REAL* a, uint a_rows, uint a_columns, global REAL* c, uint c_rows, uint c_columns) {
  local REAL a_panel[PANEL_ROOM];
  local REAL b_panel[PANEL_ROOM];
  const uint row = get_group_id(0) * GEMM_BLOCK;
  const uint column = get_group_id(1) * GEMM_BLOCK;
  if (row < column) return;
  const View factor = matrix(a, a_rows, a_columns);
  const View block = part(matrix(c, c_rows, c_columns), row, column, GEMM_BLOCK, GEMM_BLOCK);
  Sum sum = zero();
  add_product(GEMM_SIDE, part(factor, row, 0, GEMM_BLOCK, ALL),
              transposed(part(factor, column, 0, GEMM_BLOCK, ALL)), a_panel, b_panel, &sum);
  update(GEMM_SIDE, -1, &sum, 1, block, row == column);
}
