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

/// Comma-separated values with a header line.
///
/// # Errors
/// If a row has not as many cells as there are headings: a mistake in the caller.
pub(crate) fn csv<H: AsRef<str>>(headings: &[H], rows: &[Vec<String>]) -> io::Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(headings.iter().map(AsRef::as_ref))?;
    for row in rows {
        writer.write_record(row)?;
    }
    let text = writer.into_inner().map_err(|error| error.into_error())?;
    String::from_utf8(text).map_err(io::Error::other)
}
