//! Rows under their headings, as columns of text or as CSV.

use crate::plain::plain_line;
use std::io;

/// The longest word that a narrow column keeps whole: ids are copied.
const WORD_CHARS_MAX: usize = 28;
/// Two columns have this between them.
const BETWEEN: &str = "  ";

/// How columns are laid out.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Layout<'a> {
    /// The numbers of those that end in one line; the others begin in one.
    pub(crate) right: &'a [usize],
    /// How wide they may be together: wider ones break their cells into lines. `None`: as wide as they are.
    pub(crate) width: Option<usize>,
    /// The numbers of those that are left out first if that is too narrow, in this order.
    pub(crate) spare: &'a [usize],
}

/// Columns for people, without those that are empty in all rows, and with nothing in a cell that would steer a terminal.
pub(crate) fn columns<H: AsRef<str>>(
    headings: &[H],
    rows: &[Vec<String>],
    layout: &Layout<'_>,
) -> String {
    let shown = |(number, heading): (usize, &H)| {
        let cells = rows.iter().map(|row| row.get(number));
        let cells = cells.map(|cell| plain_line(cell.map_or("", String::as_str)));
        Shown::new(number, heading.as_ref(), cells, layout)
    };
    let mut columns: Vec<Shown> = headings.iter().enumerate().map(shown).collect();
    columns.retain(|column| rows.is_empty() || column.says_anything());
    if let Some(width) = layout.width {
        fit(&mut columns, width, layout.spare);
    }
    let mut text = String::new();
    for row in 0..=rows.len() {
        let cells: Vec<Vec<&str>> = columns.iter().map(|column| column.lines(row)).collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(0);
        for line in 0..height {
            let padded = columns.iter().zip(&cells).map(|(column, lines)| {
                let (cell, width) = (lines.get(line).copied().unwrap_or_default(), column.width);
                match column.right {
                    true => format!("{cell:>width$}"),
                    false => format!("{cell:<width$}"),
                }
            });
            text.push_str(padded.collect::<Vec<_>>().join(BETWEEN).trim_end());
            text.push('\n');
        }
    }
    text
}

/// A column that is laid out: its heading, then its cells.
struct Shown {
    number: usize,
    cells: Vec<String>,
    right: bool,
    width: usize,
}

impl Shown {
    fn new(
        number: usize,
        heading: &str,
        cells: impl Iterator<Item = String>,
        layout: &Layout<'_>,
    ) -> Self {
        let cells: Vec<String> = [heading.to_owned()].into_iter().chain(cells).collect();
        let widths = cells.iter().map(|cell| cell.chars().count());
        Self {
            number,
            right: layout.right.contains(&number),
            width: widths.max().unwrap_or(0),
            cells,
        }
    }

    fn says_anything(&self) -> bool {
        self.cells.iter().skip(1).any(|cell| !cell.is_empty())
    }

    /// How narrow it can be. Numbers are not broken.
    fn narrowest(&self) -> usize {
        if self.right {
            return self.width;
        }
        let words = self.cells.iter().flat_map(|cell| cell.split(' '));
        let longest = words.map(|word| word.chars().count()).max().unwrap_or(0);
        longest.min(WORD_CHARS_MAX).min(self.width)
    }

    fn lines(&self, row: usize) -> Vec<&str> {
        let cell = self.cells.get(row).map_or("", String::as_str);
        broken(cell, self.width)
    }
}

/// Leaves out what can be spared, then narrows the widest columns, until all are this wide or nothing is left to narrow.
fn fit(columns: &mut Vec<Shown>, width: usize, spare: &[usize]) {
    let excess = |columns: &[Shown]| {
        let between = BETWEEN.len() * columns.len().saturating_sub(1);
        let all: usize = columns.iter().map(|column| column.width).sum();
        (all + between).saturating_sub(width)
    };
    for number in spare {
        if excess(columns) == 0 {
            return;
        }
        columns.retain(|column| column.number != *number);
    }
    loop {
        let excess = excess(columns);
        let widest = columns
            .iter_mut()
            .filter(|column| column.width > column.narrowest())
            .max_by_key(|column| column.width);
        let Some(widest) = widest.filter(|_| excess > 0) else {
            return;
        };
        widest.width = widest.width.saturating_sub(excess).max(widest.narrowest());
    }
}

/// A text in lines of at most this many characters, broken between words where that can be.
fn broken(text: &str, width: usize) -> Vec<&str> {
    let (mut lines, mut rest) = (Vec::new(), text);
    while width > 0 && rest.chars().count() > width {
        let mut ends = rest.char_indices().map(|(at, _)| at).skip(width);
        let most = ends.next().unwrap_or(rest.len());
        // One more: the blank after a word that just fits.
        let with_next = ends.next().unwrap_or(rest.len());
        let blank = rest.get(..with_next).and_then(|fits| fits.rfind(' '));
        let begins = |at: &usize| rest.get(..*at).is_some_and(|line| !line.trim().is_empty());
        let at = blank.filter(begins).unwrap_or(most);
        let (line, next) = rest.split_at(at);
        lines.push(line.trim_end());
        rest = next.trim_start();
    }
    lines.push(rest);
    lines
}

/// Lines of text broken to this width, where one is given; what goes on is set in.
pub(crate) fn broken_lines(text: &str, width: Option<usize>) -> String {
    let Some(width) = width else {
        return text.to_owned();
    };
    let mut all = String::new();
    for line in text.lines() {
        all.push_str(&broken(line, width.saturating_sub(BETWEEN.len())).join("\n  "));
        all.push('\n');
    }
    all
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
    use super::{Layout, broken, broken_lines, columns, csv};

    fn table(layout: &Layout<'_>) -> String {
        let row = |cells: [&str; 4]| cells.map(str::to_owned).to_vec();
        let rows = [
            row(["01KB7", "12", "champion 3, a random one", "played"]),
            row(["01KB8", "7", "", "x"]),
        ];
        columns(&["id", "n", "who sat there", "end"], &rows, layout)
    }

    #[test]
    fn columns_line_up_and_break_where_there_is_no_room() {
        let usual = Layout {
            right: &[1],
            ..Layout::default()
        };
        let whole = "\
id      n  who sat there             end
01KB7  12  champion 3, a random one  played
01KB8   7                            x
";
        assert_eq!(table(&usual), whole);
        let within = |width| {
            table(&Layout {
                width: Some(width),
                ..usual
            })
        };
        assert_eq!(within(43), whole);
        let narrow = "\
id      n  who sat      end
           there
01KB7  12  champion 3,  played
           a random
           one
01KB8   7               x
";
        assert_eq!(within(30), narrow);
        // No word is cut for it, and no number.
        assert_eq!(within(10), within(27));
        let spared = Layout {
            width: Some(22),
            spare: &[3, 2],
            ..usual
        };
        assert_eq!(table(&spared), "id      n\n01KB7  12\n01KB8   7\n");
    }

    #[test]
    fn texts_break_between_words_and_long_words_anywhere() {
        assert_eq!(broken("one two three", 7), ["one two", "three"]);
        assert_eq!(broken("one two three", 6), ["one", "two", "three"]);
        assert_eq!(broken("äöüäöü x", 3), ["äöü", "äöü", "x"]);
        assert_eq!(broken("", 3), [""]);
        assert_eq!(broken("none", 0), ["none"]);
        assert_eq!(broken_lines("a b\nc d e\n", Some(5)), "a b\nc d\n  e\n");
        assert_eq!(broken_lines("a b", None), "a b");
    }

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
