//! Text from elsewhere and for people: where it begins, and how many there are of something.

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

/// A number of what this word names: `1 match`, `2 matches`.
#[must_use]
pub fn counted(number: impl TryInto<i64>, word: &str) -> String {
    let number = number.try_into().unwrap_or(i64::MAX);
    format!("{number} {}", in_number(number, word))
}

/// A number with commas between thousands: `14,050`.
#[must_use]
pub fn grouped(number: i64) -> String {
    let mut text = number.to_string();
    let first = usize::from(number < 0) + 1;
    let mut at = text.len().saturating_sub(3);
    while at >= first {
        text.insert(at, ',');
        at = at.saturating_sub(3);
    }
    text
}

/// A word for a number of what it names: `match`, `matches`.
#[must_use]
pub fn in_number(number: i64, word: &str) -> String {
    let stem = word.strip_suffix('y');
    let hisses = ["s", "x", "ch", "sh"].iter().any(|end| word.ends_with(end));
    match stem {
        _ if number == 1 => word.to_owned(),
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
        _ if hisses => format!("{word}es"),
        _ => format!("{word}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::{counted, unmarked, without_mark};

    #[test]
    fn one_mark_is_taken_off_the_beginning() {
        for (text, expected) in [("\u{feff}a\u{feff}", "a\u{feff}"), ("a", "a"), ("", "")] {
            assert_eq!(without_mark(text), expected);
            assert_eq!(unmarked(text.as_bytes()), expected.as_bytes());
        }
    }

    #[test]
    fn one_is_one_and_others_are_several() {
        for (number, word, expected) in [
            (-1, "point", "-1 points"),
            (0, "round", "0 rounds"),
            (1, "match", "1 match"),
            (2, "match", "2 matches"),
            (1, "entry", "1 entry"),
            (3, "entry", "3 entries"),
            (4, "day", "4 days"),
            (5, "box", "5 boxes"),
        ] {
            assert_eq!(counted(number, word), expected);
        }
    }
}
