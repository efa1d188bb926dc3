//! JSON as Python's `json` module reads it, and values as Python's `repr` prints them: the engine's messages
//! depend on both. A lone surrogate, which text here cannot hold, becomes U+FFFD.

use std::collections::HashMap;
use std::fmt::Write as _;

/// How deep lists and objects may nest.
const DEPTH_MAX: u32 = 100;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    None,
    Bool(bool),
    /// A whole number of any length: its digits without leading zeros, `-` before them if it is negative.
    Int(String),
    Float(f64),
    Text(String),
    List(Vec<Value>),
    /// Keys in the order in which they first appeared, each with its last value.
    Dict(Vec<(String, Value)>),
}

impl Value {
    /// The value of a key; `None` also for values that are not objects.
    pub(super) fn get(&self, key: &str) -> Option<&Value> {
        let Value::Dict(entries) = self else {
            return None;
        };
        let entry = entries.iter().find(|(name, _)| name == key);
        entry.map(|(_, value)| value)
    }

    /// As a number: `true` counts as 1 and `false` as 0, as in Python.
    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Value::Bool(truth) => Some(f64::from(u8::from(*truth))),
            Value::Int(digits) => digits.parse().ok(),
            Value::Float(number) => Some(*number),
            _ => None,
        }
    }

    /// Whether it can be a key of a Python dictionary.
    pub(super) fn hashable(&self) -> bool {
        !matches!(self, Value::List(_) | Value::Dict(_))
    }

    /// The value as Python's `repr` prints it.
    pub(super) fn repr(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        match self {
            Value::None => out.push_str("None"),
            Value::Bool(true) => out.push_str("True"),
            Value::Bool(false) => out.push_str("False"),
            Value::Int(digits) => out.push_str(digits),
            Value::Float(number) => out.push_str(&float(*number)),
            Value::Text(text) => quote(text, out),
            Value::List(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    out.push_str(if at > 0 { ", " } else { "" });
                    item.write(out);
                }
                out.push(']');
            }
            Value::Dict(entries) => {
                out.push('{');
                for (at, (key, value)) in entries.iter().enumerate() {
                    out.push_str(if at > 0 { ", " } else { "" });
                    quote(key, out);
                    out.push_str(": ");
                    value.write(out);
                }
                out.push('}');
            }
        }
    }
}

/// The shortest digits that round-trip: plain if the exponent is -4 to 15.
fn float(number: f64) -> String {
    if number.is_nan() {
        return "nan".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    let scientific = format!("{number:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if (-4..16).contains(&exponent) {
        // Always with a decimal point.
        return format!("{number:?}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}

/// In single quotes, or in double ones if the text contains only single ones.
fn quote(text: &str, out: &mut String) {
    let mark = if text.contains('\'') && !text.contains('"') {
        '"'
    } else {
        '\''
    };
    out.push(mark);
    for letter in text.chars() {
        match letter {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            letter if letter == mark => {
                out.push('\\');
                out.push(letter);
            }
            letter if printable(letter) => out.push(letter),
            letter => {
                let code = u32::from(letter);
                // Writing to a string cannot fail.
                let _ = match code {
                    0..=0xFF => write!(out, "\\x{code:02x}"),
                    0x100..=0xFFFF => write!(out, "\\u{code:04x}"),
                    _ => write!(out, "\\U{code:08x}"),
                };
            }
        }
    }
    out.push(mark);
}

/// Whether Python prints a letter unescaped. Rust's debug output agrees except for letters that extend the
/// one before them, which it escapes only at the start of a text.
fn printable(letter: char) -> bool {
    let text = ['a', letter].iter().collect::<String>();
    letter == '\'' || letter == '"' || text.escape_debug().skip(1).eq([letter])
}

/// Why a text is not JSON.
#[derive(Debug, thiserror::Error)]
pub(super) enum NotJson {
    #[error(transparent)]
    Encoding(#[from] std::str::Utf8Error),
    #[error("at byte {byte}: {why}")]
    Syntax {
        /// Where, from 1.
        byte: usize,
        /// What is wrong or missing there.
        why: &'static str,
    },
}

/// Reads a text.
pub(super) fn parse(line: &[u8]) -> Result<Value, NotJson> {
    let text = std::str::from_utf8(line)?;
    let mut reader = Reader { text, at: 0 };
    reader.blanks();
    let value = reader.value(0)?;
    reader.blanks();
    if reader.at < text.len() {
        return Err(reader.wrong("nothing more is expected"));
    }
    Ok(value)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn wrong(&self, why: &'static str) -> NotJson {
        let byte = self.at + 1;
        NotJson::Syntax { byte, why }
    }

    fn blanks(&mut self) {
        let rest = self.rest();
        let blank = |letter| matches!(letter, ' ' | '\t' | '\n' | '\r');
        self.at += rest.len() - rest.trim_start_matches(blank).len();
    }

    fn take(&mut self, word: &str) -> bool {
        let there = self.rest().starts_with(word);
        if there {
            self.at += word.len();
        }
        there
    }

    fn value(&mut self, depth: u32) -> Result<Value, NotJson> {
        if depth > DEPTH_MAX {
            return Err(self.wrong("it nests too deep"));
        }
        let words = [
            ("null", Value::None),
            ("true", Value::Bool(true)),
            ("false", Value::Bool(false)),
            ("NaN", Value::Float(f64::NAN)),
            ("Infinity", Value::Float(f64::INFINITY)),
            ("-Infinity", Value::Float(f64::NEG_INFINITY)),
        ];
        match self.rest().chars().next() {
            Some('"') => self.string().map(Value::Text),
            Some('[') => self.list(depth),
            Some('{') => self.dict(depth),
            Some('0'..='9') => self.number(),
            Some('-') if !self.rest().starts_with("-I") => self.number(),
            Some(_) => {
                for (word, value) in words {
                    if self.take(word) {
                        return Ok(value);
                    }
                }
                Err(self.wrong("a value is expected"))
            }
            None => Err(self.wrong("a value is expected")),
        }
    }

    fn digits(&mut self) -> usize {
        let rest = self.rest();
        let count = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        self.at += count;
        count
    }

    fn number(&mut self) -> Result<Value, NotJson> {
        let from = self.at;
        self.take("-");
        // A zero stands alone: what follows it is not part of this number.
        if !self.take("0") && self.digits() == 0 {
            return Err(self.wrong("a digit is expected"));
        }
        let mut whole = true;
        let before = self.at;
        if self.take(".") && self.digits() > 0 {
            whole = false;
        } else {
            self.at = before;
        }
        let before = self.at;
        let exponent = self.take("e") || self.take("E");
        let _signed = exponent && (self.take("+") || self.take("-"));
        if exponent && self.digits() > 0 {
            whole = false;
        } else {
            self.at = before;
        }
        let text = self.text.get(from..self.at).unwrap_or_default();
        if whole {
            let zero = if text == "-0" { "0" } else { text };
            return Ok(Value::Int(zero.to_owned()));
        }
        let number = text
            .parse()
            .map_err(|_| self.wrong("a number is expected"))?;
        Ok(Value::Float(number))
    }

    fn list(&mut self, depth: u32) -> Result<Value, NotJson> {
        self.take("[");
        let mut items = Vec::new();
        self.blanks();
        if self.take("]") {
            return Ok(Value::List(items));
        }
        loop {
            self.blanks();
            items.push(self.value(depth + 1)?);
            self.blanks();
            if self.take("]") {
                return Ok(Value::List(items));
            }
            if !self.take(",") {
                return Err(self.wrong("a comma or ] is expected"));
            }
        }
    }

    fn dict(&mut self, depth: u32) -> Result<Value, NotJson> {
        self.take("{");
        let mut entries: Vec<(String, Value)> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        self.blanks();
        if self.take("}") {
            return Ok(Value::Dict(entries));
        }
        loop {
            self.blanks();
            if !self.rest().starts_with('"') {
                return Err(self.wrong("a key in double quotes is expected"));
            }
            let key = self.string()?;
            self.blanks();
            if !self.take(":") {
                return Err(self.wrong("a colon is expected"));
            }
            self.blanks();
            let value = self.value(depth + 1)?;
            match places.get(&key).and_then(|at| entries.get_mut(*at)) {
                Some(entry) => entry.1 = value,
                None => {
                    places.insert(key.clone(), entries.len());
                    entries.push((key, value));
                }
            }
            self.blanks();
            if self.take("}") {
                return Ok(Value::Dict(entries));
            }
            if !self.take(",") {
                return Err(self.wrong("a comma or } is expected"));
            }
        }
    }

    fn string(&mut self) -> Result<String, NotJson> {
        self.take("\"");
        let mut out = String::new();
        loop {
            let Some(letter) = self.rest().chars().next() else {
                return Err(self.wrong("a text has no end"));
            };
            self.at += letter.len_utf8();
            match letter {
                '"' => return Ok(out),
                '\\' => out.push(self.escape()?),
                '\0'..='\x1F' => return Err(self.wrong("a control character in a text")),
                letter => out.push(letter),
            }
        }
    }

    fn escape(&mut self) -> Result<char, NotJson> {
        let Some(letter) = self.rest().chars().next() else {
            return Err(self.wrong("a text has no end"));
        };
        self.at += letter.len_utf8();
        Ok(match letter {
            '"' | '\\' | '/' => letter,
            'b' => '\u{8}',
            'f' => '\u{C}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => {
                let high = self.hex()?;
                let before = self.at;
                if (0xD800..0xDC00).contains(&high) && self.take("\\u") {
                    let low = self.hex()?;
                    if (0xDC00..0xE000).contains(&low) {
                        let code = 0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00);
                        return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
                    }
                    self.at = before;
                }
                char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            _ => return Err(self.wrong("no such escape")),
        })
    }

    fn hex(&mut self) -> Result<u32, NotJson> {
        let digits = self.rest().get(..4).unwrap_or_default();
        let plain = digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        let code = u32::from_str_radix(digits, 16).ok().filter(|_| plain);
        let code = code.ok_or_else(|| self.wrong("four hexadecimal digits are expected"))?;
        self.at += 4;
        Ok(code)
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn values_are_worded_as_python_words_them() {
        // Each line as Python 3 answers it.
        for (json, repr) in [
            ("5", "5"),
            ("-0", "0"),
            (
                "123456789012345678901234567890",
                "123456789012345678901234567890",
            ),
            ("1.0", "1.0"),
            ("1.5e3", "1500.0"),
            ("1e16", "1e+16"),
            ("1.25e-7", "1.25e-07"),
            ("1e-4", "0.0001"),
            ("9007199254740993.0", "9007199254740992.0"),
            ("1e400", "inf"),
            ("NaN", "nan"),
            ("-Infinity", "-inf"),
            ("null", "None"),
            ("true", "True"),
            ("\"jump\"", "'jump'"),
            ("\"it's\"", "\"it's\""),
            (r#""it's \"so\"""#, r#"'it\'s "so"'"#),
            (r#""a\nb\\\u0007\u00e9\u200b""#, r"'a\nb\\\x07é\u200b'"),
            (r#""\ud83d\ude00""#, "'😀'"),
            (r#"[1, "a", [], {}]"#, "[1, 'a', [], {}]"),
            (r#"{"a": 1, "b": [null], "a": 2}"#, "{'a': 2, 'b': [None]}"),
        ] {
            assert_eq!(parse(json.as_bytes()).unwrap().repr(), repr, "{json}");
        }
    }

    #[test]
    fn what_python_does_not_read_is_not_read() {
        for text in [
            "",
            " ",
            "{",
            "[1,]",
            "{\"a\"}",
            "{a: 1}",
            "'a'",
            "01",
            "1.",
            ".5",
            "+1",
            "1e",
            "--1",
            "\"a",
            "\"\t\"",
            "\"\\x41\"",
            "\"\\u12\"",
            "nul",
            "1 2",
            "{} x",
            "\u{FEFF}{}",
        ] {
            assert!(parse(text.as_bytes()).is_err(), "{text:?}");
        }
        assert!(parse(&[b'"', 0xFF, b'"']).is_err());
        let deep = "[".repeat(100_000);
        assert!(parse(deep.as_bytes()).is_err());
    }
}
