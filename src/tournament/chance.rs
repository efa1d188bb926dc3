//! What chance decides in a tournament follows from its secret.

use super::file_error::FileError;
use crate::history;
use crate::secrets::Secret;
use crate::store::{MatchRow, Store, StoreError};
use serde::Serialize;
use serde_json::Value;

/// The key in a setup for the secret.
pub(super) const SECRET: &str = "secret";

/// What a tournament begins with: a secret of its own, or the file's seed in its place.
pub(super) fn begun_with(seed: Option<u64>) -> Result<Secret, FileError> {
    match seed {
        Some(seed) => Ok(Secret::of_seed(seed)),
        None => Secret::drawn().map_err(|why| FileError::one(why.to_string())),
    }
}

/// The secret in a stored setup.
#[must_use]
pub(super) fn secret_of(setup: &Value) -> Option<Secret> {
    Secret::read(setup.get(SECRET)?.as_str()?)
}

/// What all chance of a tournament follows from, as far as everybody may read it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Drawn {
    /// The tournament's id.
    pub tournament: String,
    /// The SHA-256 of the id, a space and the secret; known before the first match.
    pub commitment: String,
    /// The secret, once the tournament is over.
    pub secret: Option<String>,
}

impl Drawn {
    /// Of the tournament with this id and stored setup; `None` if no secret is stored with it.
    #[must_use]
    pub fn new(id: &str, setup: &Value, over: bool) -> Option<Self> {
        let secret = secret_of(setup)?;
        Some(Self {
            tournament: id.to_owned(),
            commitment: secret.commitment(id),
            secret: over.then(|| secret.text()),
        })
    }

    /// The command that makes the commitment from the secret, once that may be read.
    #[must_use]
    pub fn check(&self) -> Option<String> {
        let (id, secret) = (&self.tournament, self.secret.as_ref()?);
        Some(format!("printf '%s %s' {id} {secret} | sha256sum"))
    }

    /// It in sentences, with how to check it.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let committed = format!(
            "All chance follows from a secret, to which this was the commitment before the first match: {}",
            self.commitment
        );
        let revealed = match (&self.secret, self.check()) {
            (Some(secret), Some(check)) => {
                format!("The secret is {secret}: {check} prints the commitment")
            }
            _ => "The secret is revealed when the tournament is over".to_owned(),
        };
        vec![committed, revealed]
    }
}

/// What the deck of a tournament's match follows from, as far as everybody may read it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Deal {
    /// The tournament's part.
    #[serde(flatten)]
    pub drawn: Drawn,
    /// The match's number in the whole tournament, from 0.
    pub number: u64,
    /// The seed of its deck, once the tournament is over: until then the deck may be played again.
    pub seed: Option<u64>,
}

impl Deal {
    /// Of a match; `None` if it has ended in no tournament.
    ///
    /// # Errors
    /// [`StoreError::Read`], [`StoreError::Corrupt`].
    pub async fn read(store: &Store, row: &MatchRow) -> Result<Option<Self>, StoreError> {
        let Some(place) = &row.tournament else {
            return Ok(None);
        };
        let reader = store.reader();
        let Some(found) = history::tournament(reader, &place.id).await? else {
            return Ok(None);
        };
        let over = found.ended_us.is_some();
        let Some(drawn) = Drawn::new(&place.id, &found.setup, over) else {
            return Ok(None);
        };
        let numbers = [place.number];
        let played = history::tournament_matches_numbered(reader, &place.id, &numbers).await?;
        let seed = played.first().map(|played| played.seed);
        Ok(Some(Self {
            drawn,
            number: place.number,
            seed: seed.filter(|_| over),
        }))
    }

    /// It in sentences, with how to check it.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let seed = self.seed.map(|seed| {
            let number = self.number;
            format!("The deck of match {number} has the seed {seed}")
        });
        self.drawn.notes().into_iter().chain(seed).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Drawn;
    use crate::secrets::Secret;
    use serde_json::json;

    #[test]
    fn a_secret_is_shown_with_its_check_when_the_tournament_is_over() {
        let secret = Secret::of_seed(7).text();
        let setup = json!({ "secret": secret });
        let before = Drawn::new("01T", &setup, false).unwrap();
        assert_eq!((&before.secret, before.check()), (&None, None));
        assert!(before.notes().iter().all(|note| !note.contains(&secret)));
        let after = Drawn::new("01T", &setup, true).unwrap();
        assert_eq!(after.commitment, before.commitment);
        let check = format!("printf '%s %s' 01T {secret} | sha256sum");
        assert_eq!(after.check(), Some(check.clone()));
        assert!(after.notes()[1].contains(&check), "{:?}", after.notes());
        assert_eq!(Drawn::new("01T", &json!({}), true), None);
    }
}
