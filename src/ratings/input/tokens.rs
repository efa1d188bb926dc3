//! The tokens of Portable Game Notation that hold results: tags, and the words of the moves outside of comments and
//! variations. White space, line ends included, only separates them; a `%` in the first column and a `;` hide the rest of
//! their line, except in comments.

use super::found::{Note, Notes, shown};

/// A token.
pub(super) enum Token<'a> {
    /// A tag by its name, and its value or, if it cannot be read, its text.
    Tag(&'a [u8], Result<Vec<u8>, String>),
    /// A word of the moves.
    Word(&'a [u8]),
}

/// The tokens of a text, in its order.
pub(super) struct Tokens<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Variations that are open.
    depth: usize,
    /// The line of `counted`, a place behind `at` or there.
    line: usize,
    counted: usize,
    pub notes: Notes,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            at: 0,
            depth: 0,
            line: 1,
            counted: 0,
            notes: Notes::default(),
        }
    }

    /// The next token with the line where it begins.
    pub(super) fn next(&mut self) -> Option<(usize, Token<'a>)> {
        loop {
            let rest = &self.bytes[self.at..];
            let in_first_column = self.bytes[..self.at].last().is_none_or(is_line_end);
            let length = |end: fn(&u8) -> bool| rest.iter().position(end).unwrap_or(rest.len());
            match rest.first()? {
                b'%' if in_first_column => self.at += length(is_line_end),
                b';' => self.at += length(is_line_end),
                b'{' => self.comment(),
                b'[' => {
                    let line = self.line();
                    if let Some(tag) = self.tag(rest) {
                        self.depth = 0;
                        return Some((line, tag));
                    }
                }
                b'(' => (self.at, self.depth) = (self.at + 1, self.depth + 1),
                b')' => (self.at, self.depth) = (self.at + 1, self.depth.saturating_sub(1)),
                byte if is_blank(byte) => self.at += 1,
                _ => {
                    let (line, word) = (self.line(), length(ends_word));
                    self.at += word;
                    if self.depth == 0 {
                        return Some((line, Token::Word(&rest[..word])));
                    }
                }
            }
        }
    }

    /// The line of the present place.
    fn line(&mut self) -> usize {
        let ends = (self.counted..self.at).filter(|at| match self.bytes[*at] {
            b'\r' => self.bytes.get(at + 1) != Some(&b'\n'),
            byte => byte == b'\n',
        });
        self.line += ends.count();
        self.counted = self.at;
        self.line
    }

    /// Goes behind a comment. Comments do not nest: one with a tag in it, after which another one begins before it ends,
    /// was cut, and ends where that tag begins.
    fn comment(&mut self) {
        let line = self.line();
        let mut tag = None;
        for at in self.at + 1..self.bytes.len() {
            match self.bytes[at] {
                b'}' => {
                    if tag.is_some() {
                        self.notes.add(Note::TagsInComment, line);
                    }
                    self.at = at + 1;
                    return;
                }
                b'{' if tag.is_some() => break,
                b'[' if tag.is_none() && is_tag(&self.bytes[at..]) => tag = Some(at),
                _ => {}
            }
        }
        self.notes.add(Note::CutComment, line);
        self.at = tag.unwrap_or(self.bytes.len());
    }

    /// Goes behind a tag that begins here, or what may be one.
    fn tag(&mut self, text: &'a [u8]) -> Option<Token<'a>> {
        let Some((name, rest)) = name(text) else {
            self.at += 1;
            return None;
        };
        let (value, end) = match rest.strip_prefix(b"\"") {
            Some(quoted) => value(quoted),
            None => (None, after_unquoted(rest)),
        };
        let length = text.len() - end.len();
        self.at += length;
        let text = || shown(&String::from_utf8_lossy(&text[..length]));
        Some(Token::Tag(name, value.ok_or_else(text)))
    }
}

/// Whether a tag begins a text, blanks aside.
pub(super) fn is_tag(text: &[u8]) -> bool {
    name(text).is_some_and(|(_, rest)| rest.starts_with(b"\""))
}

/// The name of a tag that begins a text, and what follows it.
fn name(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let inside = text.trim_ascii_start().strip_prefix(b"[")?;
    let inside = inside.trim_ascii_start();
    let letter = |byte: &u8| byte.is_ascii_alphanumeric() || b"_+#=:-".contains(byte);
    let end = inside.iter().position(|byte| !letter(byte));
    let (name, rest) = inside.split_at(end.unwrap_or(inside.len()));
    (!name.is_empty()).then_some((name, rest.trim_ascii_start()))
}

/// A value after its first quote, and what follows its tag. Quotes that no `]` follows belong to it. It has no end if
/// that of the line or another tag comes before.
fn value(mut rest: &[u8]) -> (Option<Vec<u8>>, &[u8]) {
    let mut value = Vec::new();
    loop {
        let (letter, length) = match rest {
            [] | [b'\n' | b'\r', ..] => return (None, rest),
            [b'[', ..] if is_tag(rest) => return (None, rest),
            [b'\\', letter @ (b'"' | b'\\'), ..] => (*letter, 2),
            [b'"', after @ ..] if after.trim_ascii_start().starts_with(b"]") => {
                return (Some(value), &after.trim_ascii_start()[1..]);
            }
            [letter, ..] => (*letter, 1),
        };
        value.push(letter);
        rest = &rest[length..];
    }
}

/// What follows a tag whose value has no quote.
fn after_unquoted(rest: &[u8]) -> &[u8] {
    let ends = |byte: &u8| is_line_end(byte) || b"[]".contains(byte);
    let rest = &rest[rest.iter().position(ends).unwrap_or(rest.len())..];
    rest.strip_prefix(b"]").unwrap_or(rest)
}

fn is_line_end(byte: &u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// White space and what has no meaning in a text.
fn is_blank(byte: &u8) -> bool {
    byte.is_ascii_control() || *byte == b' '
}

fn ends_word(byte: &u8) -> bool {
    is_blank(byte) || b"[{;()".contains(byte)
}
