//! Text from elsewhere: where it begins, and how it is shown.

/// U+FEFF, with which some programs begin their UTF-8.
const BYTE_ORDER_MARK: &str = "\u{feff}";

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
    use super::{BYTE_ORDER_MARK, unmarked, without_mark};
    use crate::MapStyle;

    #[test]
    fn one_mark_is_taken_off_the_beginning() {
        for (text, expected) in [("\u{feff}a\u{feff}", "a\u{feff}"), ("a", "a"), ("", "")] {
            assert_eq!(without_mark(text), expected);
            assert_eq!(unmarked(text.as_bytes()), expected.as_bytes());
        }
    }

    #[test]
    fn maps_of_all_games_may_begin_with_a_mark() {
        let mut read = 0;
        for (kit, maps) in crate::ALL.iter().filter_map(|kit| Some((kit, kit.maps()?))) {
            let drawn = maps.draw(1, &MapStyle::default()).unwrap();
            let checked = maps.check(&format!("{BYTE_ORDER_MARK}{drawn}"));
            checked.unwrap_or_else(|why| panic!("{}: {why}", kit.game()));
            read += 1;
        }
        assert_eq!(read, 3);
    }
}
