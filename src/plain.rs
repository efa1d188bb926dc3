//! What others have written, for people's eyes: a program's standard error, an arbiter's word, the name of a player.

/// A text on a terminal: nothing in it steers that, nor reorders what is read. Lines and tabs stay.
pub(crate) fn plain(text: &str) -> String {
    let plain = |letter| match letter {
        '\n' | '\t' => letter,
        letter if steers(letter) => '\u{fffd}',
        letter => letter,
    };
    text.chars().map(plain).collect()
}

/// The same on one line.
pub(crate) fn plain_line(text: &str) -> String {
    let on_one = |letter| match letter {
        '\t' => ' ',
        letter if steers(letter) => '\u{fffd}',
        letter => letter,
    };
    text.chars().map(on_one).collect()
}

/// Whether a letter is none: a control, or one that changes the direction of what follows.
fn steers(letter: char) -> bool {
    let turns = matches!(letter, '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    letter.is_control() || turns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_steers_a_terminal() {
        let hostile = "\u{1b}]0;title\u{7}\u{9b}2J\r\u{7f}\u{202e}a\tb\nö";
        let dot = '\u{fffd}';
        let expected = format!("{dot}]0;title{dot}{dot}2J{dot}{dot}{dot}a\tb\nö");
        assert_eq!(plain(hostile), expected);
        let expected = expected.replace('\t', " ").replace('\n', "\u{fffd}");
        assert_eq!(plain_line(hostile), expected);
    }
}
