//! The argument of a hub's line: a JSON object or list without its brackets, or an older, looser form
//! of it. `:` or `=`, keys and values quoted or bare.

use serde_json::Value;

/// The most fields of one object.
const FIELDS_MAX: usize = 256;
/// The most items of one list: rows of the largest world.
const ITEMS_MAX: usize = 4_000;

/// The fields of an object, in order. Anything that is not a field is left out.
pub(super) fn fields(argument: &str) -> Vec<(String, String)> {
    let mut reader = Reader::new(argument);
    let mut fields = Vec::new();
    while fields.len() < FIELDS_MAX && !reader.at_end() {
        let key = reader.token(&[':', '=', ',']);
        if reader.take(&[':', '=']) {
            fields.push((key, reader.token(&[','])));
        }
        reader.token(&[',']);
        reader.take(&[',']);
    }
    fields
}

/// The items of a list.
pub(super) fn items(argument: &str) -> Vec<String> {
    let mut reader = Reader::new(argument);
    let mut items = Vec::new();
    while items.len() < ITEMS_MAX && !reader.at_end() {
        items.push(reader.token(&[',']));
        reader.token(&[',']);
        reader.take(&[',']);
    }
    items
}

/// Reads from left to right and always advances.
struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn new(argument: &'a str) -> Self {
        let rest = argument.trim();
        let inner = |open: char, close: char| rest.strip_prefix(open)?.strip_suffix(close);
        Self {
            rest: inner('{', '}').or_else(|| inner('[', ']')).unwrap_or(rest),
        }
    }

    fn at_end(&mut self) -> bool {
        self.rest = self.rest.trim_start();
        self.rest.is_empty()
    }

    /// Consumes one of these marks, if it comes next.
    fn take(&mut self, marks: &[char]) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(marks) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// A quoted string without its quotes, a whole bracketed value, or the text before the next of these
    /// marks.
    fn token(&mut self, ends: &[char]) -> String {
        self.rest = self.rest.trim_start();
        let quoted = self.rest.starts_with('"').then(|| quoted_end(self.rest));
        let bracketed = self
            .rest
            .starts_with(['{', '['])
            .then(|| closing(self.rest));
        let end = quoted
            .or(bracketed)
            .unwrap_or_else(|| self.rest.find(ends).unwrap_or(self.rest.len()));
        let (token, rest) = self.rest.split_at(end);
        self.rest = rest;
        match serde_json::from_str(token) {
            Ok(Value::String(text)) => text,
            _ => token.trim().trim_matches('"').to_owned(),
        }
    }
}

/// The length of a string with its quotes; all of it if the last quote is missing.
fn quoted_end(text: &str) -> usize {
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            '"' if !escaped => return at + 1,
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    text.len()
}

/// The length of a bracketed value; all of it if it is not closed.
fn closing(text: &str) -> usize {
    let (mut depth, mut at) = (0usize, 0);
    while let Some(letter) = text.get(at..).and_then(|rest| rest.chars().next()) {
        match letter {
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            '"' => {
                at += quoted_end(text.get(at..).unwrap_or_default());
                continue;
            }
            _ => {}
        }
        at += letter.len_utf8();
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::{fields, items};

    fn pairs(argument: &str) -> Vec<(String, String)> {
        fields(argument)
    }

    fn owned(expected: &[(&str, &str)]) -> Vec<(String, String)> {
        expected
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect()
    }

    #[test]
    fn every_form_of_fields() {
        let plain = owned(&[("you", "1"), ("type", "Dog")]);
        for form in [
            r#""you":1,"type":"Dog""#,
            r#"{"you":1,"type":"Dog"}"#,
            r#" "you" : 1 , "type" : "Dog" , "#,
            r#"you=1,type=Dog"#,
            r#"you="1",type:Dog"#,
            r#",,you=1,,type=Dog,"#,
        ] {
            assert_eq!(pairs(form), plain, "{form}");
        }
    }

    #[test]
    fn marks_inside_strings_and_brackets_are_text() {
        assert_eq!(
            pairs(r#""error":{"message":"a, \"b\": }","stack":[1,2]},"winner":2"#),
            owned(&[
                ("error", r#"{"message":"a, \"b\": }","stack":[1,2]}"#),
                ("winner", "2")
            ])
        );
        assert_eq!(pairs(r#""a,b:c":"d,e=f""#), owned(&[("a,b:c", "d,e=f")]));
    }

    #[test]
    fn lists() {
        assert_eq!(items(r#""..#","^.1""#), ["..#", "^.1"]);
        assert_eq!(items("..#,^.1"), ["..#", "^.1"]);
        assert_eq!(items(r#"["..#", "^.1"]"#), ["..#", "^.1"]);
        assert!(items("").is_empty());
    }

    #[test]
    fn no_text_is_too_odd() {
        for odd in [
            "\"",
            "{",
            "=:,",
            "\"a",
            "a=\"",
            "[[[",
            "\\",
            "é=\"ü\\",
            "}{",
            "a={\"b\":\"}",
        ] {
            pairs(odd);
            items(odd);
        }
    }
}
