//! Lists as tables, JSON or CSV.

use crate::sheet;
use serde::Serialize;
use std::io::{self, Write};

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

/// Writes rows under their headings; `whole` is the same data as JSON.
pub(super) fn write_rows(
    out: &mut impl Write,
    format: Format,
    headings: &[&str],
    rows: &[Vec<String>],
    whole: &impl Serialize,
) -> io::Result<()> {
    match format {
        Format::Table => out.write_all(sheet::columns(headings, rows, &[]).as_bytes()),
        Format::Json => {
            serde_json::to_writer_pretty(&mut *out, whole)?;
            writeln!(out)
        }
        // Into memory first: an error of the crate's own would hide that a pipe is closed.
        Format::Csv => out.write_all(sheet::csv(headings, rows)?.as_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::{Format, write_rows};

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
