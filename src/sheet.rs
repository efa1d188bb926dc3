//! Rows under their headings, as columns of text or as CSV.

use crate::plain::plain_line;
use std::io;

/// Columns for people, with nothing in a cell that would steer a terminal. Those whose numbers are in `right` end in one line, the others begin in one.
pub(crate) fn columns<H: AsRef<str>>(
    headings: &[H],
    rows: &[Vec<String>],
    right: &[usize],
) -> String {
    let shown = |row: &Vec<String>| row.iter().map(|cell| plain_line(cell)).collect();
    let rows: Vec<Vec<String>> = rows.iter().map(shown).collect();
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        let cells = cells.map(|cell| cell.chars().count());
        let heading = headings
            .get(column)
            .map(|text| text.as_ref().chars().count());
        cells.chain(heading).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..headings.len()).map(width).collect();
    let mut text = String::new();
    let mut line = |cells: &mut dyn Iterator<Item = &str>| {
        let padded = cells
            .zip(&widths)
            .enumerate()
            .map(|(column, (cell, width))| {
                if right.contains(&column) {
                    format!("{cell:>width$}")
                } else {
                    format!("{cell:<width$}")
                }
            });
        text.push_str(padded.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    };
    line(&mut headings.iter().map(AsRef::as_ref));
    for row in &rows {
        line(&mut row.iter().map(String::as_str));
    }
    text
}

/// A column of rows that show this: its heading, and the cell of each.
pub(crate) type Column<T> = (&'static str, fn(&T) -> String);

/// Rows under their headings.
pub(crate) struct Grid {
    pub(crate) headings: Vec<&'static str>,
    pub(crate) rows: Vec<Vec<String>>,
}

impl Grid {
    /// These columns, with a row for each item.
    pub(crate) fn new<'a, T: 'a>(
        columns: &[Column<T>],
        items: impl IntoIterator<Item = &'a T>,
    ) -> Self {
        let row = |item| columns.iter().map(|(_, cell)| cell(item)).collect();
        Self {
            headings: columns.iter().map(|(heading, _)| *heading).collect(),
            rows: items.into_iter().map(row).collect(),
        }
    }

    /// With further columns of the same rows.
    pub(crate) fn and(mut self, further: Self) -> Self {
        self.headings.extend(further.headings);
        for (row, further) in self.rows.iter_mut().zip(further.rows) {
            row.extend(further);
        }
        self
    }

    /// As comma-separated values with a header line.
    ///
    /// # Errors
    /// Never: it is written to memory.
    pub(crate) fn csv(&self) -> io::Result<String> {
        csv(&self.headings, &self.rows)
    }
}

/// Comma-separated values with a header line.
///
/// # Errors
/// If a row has not as many cells as there are headings: a mistake in the caller.
pub(crate) fn csv<H: AsRef<str>>(headings: &[H], rows: &[Vec<String>]) -> io::Result<String> {
    let mut writer = Csv::default();
    writer.row(headings)?;
    for row in rows {
        writer.row(row)?;
    }
    String::from_utf8(writer.finish()?).map_err(io::Error::other)
}

/// A writer of comma-separated values. No cell is a formula, whatever its source: spreadsheets would run it.
pub(crate) struct Csv(csv::Writer<Vec<u8>>);

impl Default for Csv {
    fn default() -> Self {
        Self(csv::Writer::from_writer(Vec::new()))
    }
}

impl Csv {
    /// Adds a row.
    ///
    /// # Errors
    /// If it has not as many cells as the first one: a mistake in the caller.
    pub(crate) fn row(
        &mut self,
        cells: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> io::Result<()> {
        for cell in cells {
            let cell = cell.as_ref();
            match is_formula(cell) {
                true => self.0.write_field(format!("'{cell}"))?,
                false => self.0.write_field(cell)?,
            }
        }
        // Ends the row.
        self.0.write_record(None::<&[u8]>)?;
        Ok(())
    }

    /// All that was written.
    ///
    /// # Errors
    /// Never: it is in memory.
    pub(crate) fn finish(self) -> io::Result<Vec<u8>> {
        self.0.into_inner().map_err(|error| error.into_error())
    }
}

/// Whether a spreadsheet takes this for a formula, or for what may become one. Numbers are none, nor are several with
/// blanks between.
fn is_formula(cell: &str) -> bool {
    let begins = cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']);
    let is_number = |word: &str| word.parse::<f64>().is_ok_and(f64::is_finite);
    begins && !cell.split(' ').all(is_number)
}

#[cfg(test)]
mod tests {
    use super::csv;

    #[test]
    fn no_cell_begins_a_formula_and_numbers_stay_numbers() {
        for (cell, written) in [
            ("=HYPERLINK(\"x\")", "\"'=HYPERLINK(\"\"x\"\")\""),
            ("+1+2", "'+1+2"),
            ("-2+3", "'-2+3"),
            ("-inf", "'-inf"),
            ("- ", "'- "),
            ("@sum", "'@sum"),
            ("\t=1", "'\t=1"),
            ("\r=1", "\"'\r=1\""),
            ("-5", "-5"),
            ("+0.25", "+0.25"),
            ("-1.5e-7", "-1.5e-7"),
            ("-5 12 -7", "-5 12 -7"),
            ("-5 =1", "'-5 =1"),
            ("a=b", "a=b"),
            ("", ""),
            ("'=1", "'=1"),
        ] {
            let cells = [vec![cell.to_owned(), "x".to_owned()]];
            let text = csv(&[cell, "x"], &cells).unwrap();
            assert_eq!(text, format!("{written},x\n{written},x\n"), "{cell:?}");
        }
        assert!(csv(&["a", "b"], &[vec!["1".to_owned()]]).is_err());
        assert_eq!(csv(&["a"], &[vec![String::new()]]).unwrap(), "a\n\"\"\n");
    }
}
