//! The token by which a hub recognises an entrant: known to its entrant alone, kept as a digest.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fmt;
use std::str::FromStr;

/// What a digest's text begins with.
const DIGEST: &str = "sha256:";
/// The fewest characters of a token, and the most: with a name it fits into the line that joins.
const SHORTEST: usize = 8;
const LONGEST: usize = 64;

/// The digest of a token. It reads the token itself or a digest's text, and shows, prints and stores the digest
/// only: whoever reads one still cannot show the token.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
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
    pub(super) fn of(token: &str) -> Self {
        Self(Sha256::digest(token.to_ascii_lowercase()).into())
    }
}

impl FromStr for TokenDigest {
    type Err = TokenError;

    fn from_str(text: &str) -> Result<Self, TokenError> {
        if let Some(digits) = text.strip_prefix(DIGEST) {
            let mut bytes = [0; 32];
            if digits.len() != 2 * bytes.len() || !digits.is_ascii() {
                return Err(TokenError);
            }
            for (at, byte) in bytes.iter_mut().enumerate() {
                let pair = digits.get(2 * at..2 * at + 2).ok_or(TokenError)?;
                *byte = u8::from_str_radix(pair, 16).map_err(|_| TokenError)?;
            }
            return Ok(Self(bytes));
        }
        let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
        if (SHORTEST..=LONGEST).contains(&text.len()) && text.chars().all(plain) {
            Ok(Self::of(text))
        } else {
            Err(TokenError)
        }
    }
}

impl TryFrom<String> for TokenDigest {
    type Error = TokenError;

    fn try_from(text: String) -> Result<Self, TokenError> {
        text.parse()
    }
}

impl From<TokenDigest> for String {
    fn from(digest: TokenDigest) -> Self {
        digest.to_string()
    }
}

impl fmt::Display for TokenDigest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(DIGEST)?;
        self.0.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

impl fmt::Debug for TokenDigest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
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
    fn tokens_are_read_and_only_their_digests_are_shown() {
        let token: TokenDigest = "Sesame-2026".parse().unwrap();
        assert_eq!(token, TokenDigest::of("sesame-2026"));
        assert_ne!(token, TokenDigest::of("sesame-2027"));
        let stored = serde_json::to_string(&token).unwrap();
        assert!(stored.starts_with("\"sha256:") && !stored.contains("sesame"));
        assert_eq!(format!("\"{token:?}\""), stored);
        assert_eq!(serde_json::from_str::<TokenDigest>(&stored).unwrap(), token);
        // A digest is no token.
        assert_ne!(TokenDigest::of(&token.to_string()), token);
        for wrong in [
            "",
            "seven77",
            "with blank",
            "col:on-x",
            "sha256:12",
            &"x".repeat(65),
            &format!("sha256:{}", "é".repeat(32)),
            &format!("sha256:{}", "+1".repeat(32)).replace('+', "g"),
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
