//! The token by which a hub recognises an entrant: known to its entrant alone, kept as a digest.

use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use std::fmt;
use std::str::FromStr;

/// The fewest characters of a token, and the most: with a name it fits into the line that joins.
const SHORTEST: usize = 8;
const LONGEST: usize = 64;

/// The digest of a token, read from the token itself.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct TokenDigest([u8; 32]);

/// Not a token. It does not repeat what was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a token has {SHORTEST} to {LONGEST} letters, digits, dashes and underscores, such as the 32 digits of \
     `openssl rand -hex 16`"
)]
pub struct TokenError;

impl TokenDigest {
    /// Of a token as it was shown: hubs' names have no case, so tokens have none.
    pub(super) fn new(token: &str) -> Self {
        Self(Sha256::digest(token.to_ascii_lowercase()).into())
    }
}

impl FromStr for TokenDigest {
    type Err = TokenError;

    fn from_str(token: &str) -> Result<Self, TokenError> {
        let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
        if (SHORTEST..=LONGEST).contains(&token.len()) && token.chars().all(plain) {
            Ok(Self::new(token))
        } else {
            Err(TokenError)
        }
    }
}

impl TryFrom<String> for TokenDigest {
    type Error = TokenError;

    fn try_from(token: String) -> Result<Self, TokenError> {
        token.parse()
    }
}

impl fmt::Debug for TokenDigest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("***")
    }
}

/// A line without the token, which may stand in it in capitals or not.
pub(super) fn without(line: String, token: &str) -> String {
    let (mut line, token) = (line, token.to_ascii_lowercase());
    // Letters keep their places; what stands in for the token has none of its own.
    while let Some(at) = line.to_ascii_lowercase().find(&token) {
        line.replace_range(at..at + token.len(), "***");
    }
    line
}

#[cfg(test)]
mod tests {
    use super::{TokenDigest, TokenError, without};

    #[test]
    fn tokens_are_read_in_any_case_and_never_shown() {
        let token: TokenDigest = "Sesame-2026".parse().unwrap();
        assert_eq!(token, TokenDigest::new("sesame-2026"));
        assert_ne!(token, TokenDigest::new("sesame-2027"));
        assert_eq!(format!("{token:?}"), "***");
        let read = |text| serde_json::from_str::<TokenDigest>(text);
        assert_eq!(read("\"Sesame-2026\"").unwrap(), token);
        let wrong = read("\"a secret\"").unwrap_err().to_string();
        assert!(wrong.starts_with("a token has 8 to 64 letters"), "{wrong}");
        for wrong in [
            "",
            "seven77",
            "with blank",
            "col:on-xx",
            "sésame-2026",
            &"x".repeat(65),
        ] {
            assert_eq!(wrong.parse::<TokenDigest>(), Err(TokenError), "{wrong}");
        }
    }

    #[test]
    fn a_line_loses_its_token_wherever_it_stands() {
        let check = |line: &str, expected: &str| {
            assert_eq!(without(line.to_owned(), "Sesame-2026"), expected);
        };
        check("do 5 bark", "do 5 bark");
        check("join bob #SESAME-2026", "join bob #***");
        check("İ:sesame-2026sesame-2026 é", "İ:****** é");
    }
}
