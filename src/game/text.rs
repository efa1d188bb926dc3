//! Text from elsewhere: where it begins, and how it is shown.

/// U+FEFF, with which some programs begin their UTF-8.
pub const BYTE_ORDER_MARK: &str = "\u{feff}";

/// A text without the byte order mark before it. Every reader of a text from elsewhere begins with this or [`unmarked`].
#[must_use]
pub fn without_mark(text: &str) -> &str {
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)
}

/// The same of bytes.
#[must_use]
pub fn unmarked(bytes: &[u8]) -> &[u8] {
    bytes
        .strip_prefix(BYTE_ORDER_MARK.as_bytes())
        .unwrap_or(bytes)
}

#[cfg(test)]
mod tests {
    use super::{unmarked, without_mark};

    #[test]
    fn one_mark_is_taken_off_the_beginning() {
        for (text, expected) in [("\u{feff}a\u{feff}", "a\u{feff}"), ("a", "a"), ("", "")] {
            assert_eq!(without_mark(text), expected);
            assert_eq!(unmarked(text.as_bytes()), expected.as_bytes());
        }
    }
}
