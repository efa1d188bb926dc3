//! Facts of what earlier versions recorded without them.

use super::seat::fold_seat;
use crate::store::types::{FactAt, SessionId};
use crate::store::{Store, StoreError};

/// How far [`Store::tell`] has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tells {
    /// Seats whose facts were stored.
    pub told: u64,
    /// Seats whose transcripts cannot be read or folded.
    pub left: u64,
}

impl Store {
    /// Folds every seat of our own referee that was recorded by a version that stored no facts of it, and stores
    /// them now. It may be stopped and begun again at any time.
    ///
    /// # Errors
    /// As [`Store::append`].
    pub async fn tell(&self, mut progress: impl FnMut(Tells)) -> Result<Tells, StoreError> {
        let (mut tells, mut after) = (Tells::default(), SessionId(0));
        loop {
            let untold = self.untold(after).await?;
            let Some(last) = untold.last() else {
                return Ok(tells);
            };
            after = *last;
            for id in untold {
                match self.folded(id).await? {
                    Ok(facts) => {
                        self.add_facts(id, facts).await?;
                        tells.told += 1;
                    }
                    Err(why) => {
                        tracing::warn!(session = id.0, why, "a seat's facts cannot be told");
                        tells.left += 1;
                    }
                }
                progress(tells);
            }
        }
    }

    /// The facts of a seat that has ended; or why it tells none.
    async fn folded(&self, id: SessionId) -> Result<Result<Vec<FactAt>, String>, StoreError> {
        let Some(session) = self.session(id).await? else {
            return Ok(Err("its row is missing".to_owned()));
        };
        let game = &session.opened.game;
        let Some(kit) = self.kit(game) else {
            return Ok(Err(format!("no game is called {game}")));
        };
        let entries = match session.last_entry {
            Some(head) => self.transcript(id, head).await,
            None => Ok(Vec::new()),
        };
        let entries = match entries {
            Ok(entries) => entries,
            Err(StoreError::Corrupt(why)) => return Ok(Err(why)),
            Err(error) => return Err(error),
        };
        let end = session.end();
        let folding = tokio::task::spawn_blocking(move || match entries.is_empty() {
            true => Ok(Vec::new()),
            false => fold_seat(kit, &entries, end).map(|told| told.facts),
        });
        let folded = folding.await;
        folded.map_err(|error| StoreError::Corrupt(format!("folding failed: {error}")))
    }
}
