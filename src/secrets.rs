//! Unguessable random numbers, and the comparison of secrets.

use std::fmt::Write as _;
use subtle::ConstantTimeEq as _;

/// The fewest bytes of a key that seals something.
pub const KEY_BYTES_MIN: usize = 32;

/// The system provides no random numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the system gives no random numbers: {0}")]
pub struct NoRandomness(#[from] getrandom::Error);

/// 128 random bits as 32 hexadecimal digits: a path segment or a word that cannot be guessed.
///
/// # Errors
/// [`NoRandomness`].
pub fn nonce() -> Result<String, NoRandomness> {
    let mut bytes = [0u8; 16];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    }))
}

/// 64 random bits.
///
/// # Errors
/// [`NoRandomness`].
pub fn bits() -> Result<u64, NoRandomness> {
    Ok(getrandom::u64()?)
}

/// Whether a text from outside is the secret, in a time that reveals nothing about the secret but its length.
/// An empty secret matches nothing.
#[must_use]
pub fn same(given: &str, secret: &str) -> bool {
    !secret.is_empty() && bool::from(given.as_bytes().ct_eq(secret.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::{nonce, same};

    #[test]
    fn nonces_differ_and_secrets_are_the_same_only_whole() {
        let (one, other) = (nonce().unwrap(), nonce().unwrap());
        assert_eq!(one.len(), 32);
        assert_ne!(one, other);
        assert!(same(&one, &one) && !same(&one, &other));
        assert!(!same("", "") && !same("a", "") && !same("ab", "abc") && !same("abc", "ab"));
    }
}
