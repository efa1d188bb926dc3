//! Unguessable random numbers, and the comparison of secrets.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::{Digest as _, Sha256};
use std::fmt::{self, Write as _};
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
    Ok(Secret::drawn()?.text())
}

/// Bytes as hexadecimal digits.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// 128 bits from which numbers follow that lead neither back to them nor to each other.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Secret([u8; 16]);

/// Not its bits.
impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Secret(…)")
    }
}

impl Secret {
    /// Random bits of the system.
    ///
    /// # Errors
    /// [`NoRandomness`].
    pub fn drawn() -> Result<Self, NoRandomness> {
        let mut bytes = [0u8; 16];
        getrandom::fill(&mut bytes)?;
        Ok(Self(bytes))
    }

    /// A seed in its place: trying all seeds finds it.
    #[must_use]
    pub fn of_seed(seed: u64) -> Self {
        Self(u128::from(seed).to_be_bytes())
    }

    /// As [`Self::text`] writes it.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let bits = u128::from_str_radix(text, 16).ok();
        let secret = bits.map(|bits| Self(bits.to_be_bytes()));
        secret.filter(|secret| secret.text() == text)
    }

    /// As 32 hexadecimal digits.
    #[must_use]
    pub fn text(&self) -> String {
        hexadecimal(&self.0)
    }

    /// The number of this name and place, by HMAC-SHA256.
    #[must_use]
    pub fn number(&self, name: &str, at: u64) -> u64 {
        let mut mac =
            <Hmac<Sha256>>::new_from_slice(&self.0).expect("HMAC takes keys of any length");
        mac.update(name.as_bytes());
        mac.update(&[0]);
        mac.update(&at.to_be_bytes());
        let hash = mac.finalize().into_bytes();
        let first = hash.first_chunk().copied();
        u64::from_be_bytes(first.unwrap_or_default())
    }

    /// What may be published of it: the SHA-256 of this number of a run, a space and the secret's text.
    #[must_use]
    pub fn commitment(&self, run: &str) -> String {
        hexadecimal(&Sha256::digest(format!("{run} {}", self.text())))
    }
}

/// A key that seals words, by HMAC-SHA256. Cheap to clone.
#[derive(Clone)]
pub struct SealKey(Hmac<Sha256>);

impl SealKey {
    /// A key of any length.
    #[must_use]
    pub fn new(key: &[u8]) -> Self {
        Self(Hmac::new_from_slice(key).expect("HMAC takes keys of any length"))
    }

    /// The seal of these words, in hexadecimal digits.
    #[must_use]
    pub fn seal(&self, words: &[&[u8]]) -> String {
        let mut mac = self.0.clone();
        for word in words {
            mac.update(word);
        }
        hexadecimal(&mac.finalize().into_bytes())
    }
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
    use super::{Secret, nonce, same};

    const NUMBER: u64 = 0x52568fd18b707ca5;
    const COMMITMENT: &str = "3e61f9a67411ce41525d5eb200868b5fade0505a724ad9ec207c6fe88ce5fe8c";

    #[test]
    fn numbers_follow_from_a_secret_and_lead_nowhere() {
        let secret = Secret::of_seed(20_261_127);
        let text = "00000000000000000000000001352907";
        assert_eq!(secret.text(), text);
        assert_eq!(Secret::read(text), Some(secret));
        for wrong in [
            "",
            "1352907",
            "+0000000000000000000000001352907",
            &text.to_uppercase()[1..],
        ] {
            assert_eq!(Secret::read(wrong), None, "{wrong}");
        }
        // As other implementations of HMAC-SHA256 have them: a changed derivation would change all runs with a seed.
        assert_eq!(secret.number("koehandel deck", 0), NUMBER);
        assert_ne!(secret.number("koehandel deck", 1), NUMBER);
        assert_ne!(secret.number("koehandel numbers", 0), NUMBER);
        assert_ne!(Secret::of_seed(1).number("koehandel deck", 0), NUMBER);
        assert_eq!(secret.commitment("01TOURNAMENT00000000000001"), COMMITMENT);
        assert_eq!(format!("{secret:?}"), "Secret(…)");
        assert_ne!(Secret::drawn().unwrap(), Secret::drawn().unwrap());
    }

    #[test]
    fn nonces_differ_and_secrets_are_the_same_only_whole() {
        let (one, other) = (nonce().unwrap(), nonce().unwrap());
        assert_eq!(one.len(), 32);
        assert_ne!(one, other);
        assert!(same(&one, &one) && !same(&one, &other));
        assert!(!same("", "") && !same("a", "") && !same("ab", "abc") && !same("abc", "ab"));
    }
}
