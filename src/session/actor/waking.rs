//! Brings a session's dialogue in before it is needed.

use super::Actor;
use crate::session::core::SessionState;
use crate::session::fold::{self, FoldError};
use crate::session::message::Refusal;
use crate::store::StoreError;
use std::time::Duration;
use tokio::time::Instant;

/// How long a dialogue that overran its time is waited for before it is folded again.
const BACK_WAIT: Duration = Duration::from_millis(100);

impl Actor {
    /// Brings the dialogue in, if a session is live. If that fails, the message is stored all the
    /// same and answered by the game's default, so that the transcript stays whole.
    pub(super) async fn wake(&mut self, deadline: Instant) -> Result<(), Refusal> {
        let sleeps = |core: &SessionState| !core.ended && core.own.is_absent();
        if !self.core.as_deref().is_some_and(sleeps) {
            return Ok(());
        }
        // What is rare is boxed: every message that waits for the store keeps room for all the rest.
        let Err(error) = Box::pin(self.try_wake(deadline)).await else {
            return Ok(());
        };
        if let FoldError::Store(StoreError::Closed) = error {
            return Err(self.registry.stopping());
        }
        if !error.lasts() && self.registry.dependencies.store.is_remote() {
            // Another replica, or a later try, may reach the server.
            self.registry.meters.refused(Refusal::Unstored.word());
            return Err(Refusal::Unstored);
        }
        // Its number here, not those on the wire: who knows these could speak for its referee.
        let session = self.core.as_deref().map(|core| core.id.0);
        tracing::error!(session, %error, "a session could not be folded");
        if let Some(core) = self.core.as_deref_mut().filter(|_| error.lasts()) {
            core.own.break_down();
        }
        Ok(())
    }

    async fn try_wake(&mut self, deadline: Instant) -> Result<(), FoldError> {
        let Some(core) = self.core.as_deref_mut() else {
            return Ok(());
        };
        if let Some(pending) = &mut core.away {
            let back = tokio::time::timeout(BACK_WAIT, pending.thought()).await;
            match back.map(|thought| thought.and_then(|thought| thought.dialogue)) {
                Ok(dialogue) => {
                    core.away = None;
                    let back = dialogue.map(|dialogue| core.own.come_back(dialogue));
                    match back {
                        Some(Ok(())) => {}
                        Some(Err(panic)) => {
                            tracing::error!(session = core.id.0, %panic, "a bot panicked");
                        }
                        None => core.own.give_up(false),
                    }
                }
                Err(_) => core.give_up(),
            }
        }
        if core.own.is_absent() {
            let bot = &self.session.key.bot;
            fold::wake(&self.registry.dependencies, bot, core, deadline).await?;
        }
        Ok(())
    }
}
