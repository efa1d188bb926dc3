//! Symmetric positive definite matrices: the Cholesky factor, solving and the inverse.
//!
//! All three are one loop over dot products of contiguous rows, taken four rows at a time, so that a row
//! comes once from memory for four. The order is filled up to a multiple of four with rows of the identity.

/// Rows that are worked on together.
const ROWS: usize = 4;
/// Partial sums of a dot product: the compiler keeps them in vector registers.
const LANES: usize = 4;

/// A square matrix.
#[derive(Clone, Debug)]
pub(crate) struct Matrix {
    /// The order that was asked for.
    order: usize,
    /// The order filled up, also the length of a row.
    width: usize,
    cells: Vec<f64>,
}

/// A Cholesky factor: its lower triangle times its transpose is the matrix.
#[derive(Clone, Debug)]
pub(crate) struct Factor(Matrix);

/// The dot products of four rows with one.
fn dots(rows: [&[f64]; ROWS], with: &[f64]) -> [f64; ROWS] {
    let (whole, rest) = with.as_chunks::<LANES>();
    let rows = rows.map(|row| row[..with.len()].as_chunks::<LANES>());
    let mut sums = [[0.0; LANES]; ROWS];
    for (at, with) in whole.iter().enumerate() {
        for (sum, (row, _)) in sums.iter_mut().zip(&rows) {
            for lane in 0..LANES {
                sum[lane] += row[at][lane] * with[lane];
            }
        }
    }
    let mut of_rest = rows.map(|(_, row)| row.iter().zip(rest).map(|(a, b)| a * b).sum::<f64>());
    for (total, sum) in of_rest.iter_mut().zip(sums) {
        *total += sum.iter().sum::<f64>();
    }
    of_rest
}

/// The dot product of two rows.
fn dot(row: &[f64], with: &[f64]) -> f64 {
    row.iter().zip(with).map(|(a, b)| a * b).sum()
}

impl Matrix {
    /// Zeros.
    pub(crate) fn new(order: usize) -> Self {
        let width = order.next_multiple_of(ROWS);
        let mut cells = vec![0.0; width * width];
        for filling in order..width {
            cells[filling * width + filling] = 1.0;
        }
        Self {
            order,
            width,
            cells,
        }
    }

    /// The first `order` cells of a row.
    pub(crate) fn row(&self, row: usize) -> &[f64] {
        &self.cells[row * self.width..][..self.order]
    }

    pub(crate) fn row_mut(&mut self, row: usize) -> &mut [f64] {
        &mut self.cells[row * self.width..][..self.order]
    }

    fn four(&self, first: usize) -> [&[f64]; ROWS] {
        std::array::from_fn(|row| &self.cells[(first + row) * self.width..][..self.width])
    }

    /// The Cholesky factor from the lower triangle; `None` if the matrix is not positive definite.
    pub(crate) fn factor(mut self) -> Option<Factor> {
        let width = self.width;
        for block in (0..width).step_by(ROWS) {
            let (above, own) = self.cells.split_at_mut(block * width);
            let own = &mut own[..ROWS * width];
            for (column, other) in above.chunks_exact(width).enumerate() {
                let rows: [&[f64]; ROWS] = std::array::from_fn(|row| &own[row * width..][..width]);
                let sums = dots(rows, &other[..column]);
                for (row, sum) in sums.into_iter().enumerate() {
                    let cell = &mut own[row * width + column];
                    *cell = (*cell - sum) / other[column];
                }
            }
            for row in 0..ROWS {
                for column in 0..=row {
                    let end = block + column;
                    let (mine, other) = (&own[row * width..], &own[column * width..]);
                    let left = mine[end] - dot(&mine[..end], &other[..end]);
                    own[row * width + end] = if column < row {
                        left / own[column * width + end]
                    } else if left > 0.0 {
                        left.sqrt()
                    } else {
                        return None;
                    };
                }
            }
        }
        Some(Factor(self))
    }
}

impl Factor {
    /// Solves for the right side given.
    pub(crate) fn solve(&self, right: &[f64]) -> Vec<f64> {
        let matrix = &self.0;
        let mut x = right.to_vec();
        for row in 0..matrix.order {
            let cells = matrix.row(row);
            x[row] = (x[row] - dot(&cells[..row], &x[..row])) / cells[row];
        }
        for row in (0..matrix.order).rev() {
            let cells = matrix.row(row);
            x[row] /= cells[row];
            let known = x[row];
            for (left, cell) in x[..row].iter_mut().zip(cells) {
                *left -= known * cell;
            }
        }
        x
    }

    /// The inverse of the factor, transposed: its rows are the columns of the inverse.
    pub(crate) fn inverse(&self) -> InverseFactor {
        let matrix = &self.0;
        let width = matrix.width;
        let mut inverse = Matrix {
            order: matrix.order,
            width,
            cells: vec![0.0; width * width],
        };
        for block in (0..width).step_by(ROWS) {
            for row in block..width {
                let factor = &matrix.cells[row * width..][..=row];
                let mine = inverse.four(block).map(|mine| &mine[block..]);
                let sums = dots(mine, &factor[block..row]);
                for (column, sum) in sums.into_iter().enumerate() {
                    let unit = f64::from(u8::from(block + column == row));
                    inverse.cells[(block + column) * width + row] = (unit - sum) / factor[row];
                }
            }
        }
        InverseFactor(inverse)
    }
}

/// The inverse of a Cholesky factor, transposed.
#[derive(Clone, Debug)]
pub(crate) struct InverseFactor(Matrix);

impl InverseFactor {
    /// The inverse of the matrix's first `order` rows and columns.
    pub(crate) fn leading_inverse(&self, order: usize) -> Matrix {
        let matrix = &self.0;
        let mut inverse = Matrix::new(order);
        for block in (0..order).step_by(ROWS) {
            for column in 0..(block + ROWS).min(order) {
                let from = block.max(column) / ROWS * ROWS;
                let rows = matrix.four(block).map(|row| &row[from..order]);
                let other = &matrix.cells[column * matrix.width..][from..order];
                let sums = dots(rows, other);
                for (row, sum) in (block..order).zip(sums) {
                    inverse.row_mut(row)[column] = sum;
                    inverse.row_mut(column)[row] = sum;
                }
            }
        }
        inverse
    }

    /// One column of the inverse of the factor, from its first row on.
    pub(crate) fn column(&self, column: usize) -> &[f64] {
        self.0.row(column)
    }
}
