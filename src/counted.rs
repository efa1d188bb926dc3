//! How many there are of something, in words.

/// A number of what this word names: `1 match`, `2 matches`.
pub(crate) fn counted(number: impl TryInto<u64>, word: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    match number {
        1 => format!("1 {word}"),
        _ => format!("{number} {}", plural(word)),
    }
}

fn plural(word: &str) -> String {
    let stem = word.strip_suffix('y');
    let hisses = ["s", "x", "ch", "sh"].iter().any(|end| word.ends_with(end));
    match stem {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
        _ if hisses => format!("{word}es"),
        _ => format!("{word}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn one_is_one_and_others_are_several() {
        for (number, word, expected) in [
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
