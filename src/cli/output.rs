//! Lists as tables, JSON or CSV.

use crate::clock::{now_us, time};
use crate::sheet::{self, Layout};
use serde::Serialize;
use std::io::{self, IsTerminal as _, Write};

/// The format of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, Default)]
pub(super) enum Format {
    /// Columns for people.
    #[default]
    Table,
    /// One JSON document.
    Json,
    /// Comma-separated values with a header line.
    Csv,
}

/// What is listed, with blanks between.
pub(super) fn spaced(items: impl IntoIterator<Item: ToString>) -> String {
    let items = items.into_iter().map(|item| item.to_string());
    items.collect::<Vec<_>>().join(" ")
}

/// How wide a table may be: as the terminal is, or, where standard output is none, as the variable COLUMNS says. A file or a
/// pipe usually gets what there is.
pub(super) fn width() -> Option<usize> {
    let out = io::stdout();
    let size = || rustix::termios::tcgetwinsize(&out).ok();
    let terminal = out.is_terminal().then(size).flatten();
    let terminal = terminal.map(|size| usize::from(size.ws_col));
    let given = || std::env::var("COLUMNS").ok()?.parse().ok();
    // A terminal that does not know has none.
    terminal.or_else(given).filter(|columns| *columns > 0)
}

/// A time to the second: `2026-11-29 07:12:05 UTC`.
pub(super) fn whole_time(at_us: i64) -> String {
    time(at_us).strftime("%Y-%m-%d %H:%M:%S UTC").to_string()
}

/// A time in a table, in UTC: `11-29 07:12`, or the day if it was in another year.
pub(super) fn short_time(at_us: i64) -> String {
    short_at(at_us, now_us())
}

fn short_at(at_us: i64, now_us: i64) -> String {
    let year = |at_us| time(at_us).strftime("%Y").to_string();
    let form = match year(at_us) == year(now_us) {
        true => "%m-%d %H:%M",
        false => "%Y-%m-%d",
    };
    time(at_us).strftime(form).to_string()
}

/// Writes rows under their headings; `whole` is the same data as JSON.
pub(super) fn write_rows(
    out: &mut impl Write,
    format: Format,
    headings: &[&str],
    rows: &[Vec<String>],
    whole: &impl Serialize,
) -> io::Result<()> {
    match format {
        Format::Table => out.write_all(table(headings, rows).as_bytes()),
        Format::Json => {
            serde_json::to_writer_pretty(&mut *out, whole)?;
            writeln!(out)
        }
        // Into memory first: an error of the crate's own would hide that a pipe is closed.
        Format::Csv => out.write_all(sheet::csv(headings, rows)?.as_bytes()),
    }
}

/// Rows under their headings for people, as wide as may be.
pub(super) fn table<H: AsRef<str>>(headings: &[H], rows: &[Vec<String>]) -> String {
    laid_out(headings, rows, &Layout::default())
}

/// The same with this layout but for its width.
pub(super) fn laid_out<H: AsRef<str>>(
    headings: &[H],
    rows: &[Vec<String>],
    layout: &Layout<'_>,
) -> String {
    let layout = Layout {
        width: width(),
        ..*layout
    };
    sheet::columns(headings, rows, &layout)
}

#[cfg(test)]
mod tests {
    use super::{Format, short_at, whole_time, write_rows};

    #[test]
    fn a_time_is_as_short_as_it_can_be() {
        let now = 1_795_935_600_000_000;
        assert_eq!(short_at(now, now), "11-29 07:00");
        assert_eq!(short_at(now - 59_000_000, now), "11-29 06:59");
        assert_eq!(short_at(0, now), "1970-01-01");
        assert_eq!(whole_time(now + 999_999), "2026-11-29 07:00:00 UTC");
    }

    fn written(format: Format) -> String {
        let rows = [
            vec!["a".to_owned(), "one, \"two\"".to_owned()],
            vec!["longer".to_owned(), "x".to_owned()],
        ];
        let mut out = Vec::new();
        write_rows(
            &mut out,
            format,
            &["id", "what"],
            &rows,
            &serde_json::json!([1]),
        )
        .unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn columns_line_up() {
        assert_eq!(
            written(Format::Table),
            "id      what\na       one, \"two\"\nlonger  x\n"
        );
    }

    #[test]
    fn a_closed_pipe_is_known_as_one_in_every_format() {
        let row = vec!["x".repeat(100)];
        for format in [Format::Table, Format::Csv, Format::Json] {
            let (reader, mut writer) = std::io::pipe().unwrap();
            drop(reader);
            let rows = vec![row.clone(); 1000];
            let why = write_rows(&mut writer, format, &["id"], &rows, &rows).unwrap_err();
            assert_eq!(why.kind(), std::io::ErrorKind::BrokenPipe, "{format:?}");
        }
    }

    #[test]
    fn csv_quotes_what_needs_it() {
        assert_eq!(
            written(Format::Csv),
            "id,what\na,\"one, \"\"two\"\"\"\nlonger,x\n"
        );
    }

    #[test]
    fn json_is_the_whole() {
        assert_eq!(written(Format::Json), "[\n  1\n]\n");
    }
}
