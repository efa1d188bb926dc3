//! What chance decides in a tournament follows from its secret.

use super::file::{Cup, FileError, refuse};
use crate::secrets::Secret;
use ratings::schedule::Field;
use serde_json::Value;

/// The key in a setup for the secret.
pub(super) const SECRET: &str = "secret";

impl Cup {
    /// The field that rounds are made of.
    #[must_use]
    pub fn field(&self) -> Field {
        Field {
            entrants: self.ranked,
            house: self.entrants.len() - self.ranked,
            seats: self.seats,
            seed: self.drawn("pairings", 0),
        }
    }

    /// The number of this name and place that chance gives it.
    #[must_use]
    pub fn drawn(&self, name: &str, at: u64) -> u64 {
        self.secret
            .number(&format!("{} {name}", self.kit.game()), at)
    }

    /// Goes on with the secret that it was begun with.
    ///
    /// # Errors
    /// [`FileError`] if it is not stored.
    pub fn go_on(&mut self, stored: &Value) -> Result<(), FileError> {
        let Some(secret) = secret_of(stored) else {
            return refuse("its secret is missing in the database".to_owned());
        };
        self.secret = secret;
        self.setup[SECRET] = secret.text().into();
        Ok(())
    }
}

/// What a tournament begins with: a secret of its own, or the file's seed in its place.
pub(super) fn begun_with(seed: Option<u64>) -> Result<Secret, FileError> {
    match seed {
        Some(seed) => Ok(Secret::of_seed(seed)),
        None => Secret::drawn().map_err(|why| FileError(why.to_string())),
    }
}

/// The secret in a stored setup.
#[must_use]
pub fn secret_of(setup: &Value) -> Option<Secret> {
    Secret::read(setup.get(SECRET)?.as_str()?)
}
