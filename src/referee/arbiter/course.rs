//! How far a player's own part in a game goes.

use super::players::Player;
use crate::programs::Account;
use games::{Blame, Cause, Part, Participation, is_earned};

/// A player's decisions so far.
#[derive(Clone, Copy, Default)]
pub(super) struct Course {
    decisions: u32,
    /// Whether what was closed last is one.
    decides: bool,
    /// The decision since which it has answered none.
    silent: Option<u32>,
    /// Whether it was once asked in vain.
    pub(super) late: bool,
    /// The decision at which its part ended.
    fell: Option<u32>,
}

impl Course {
    /// A call is closed; `late`: there was no answer in time.
    pub(super) fn closed(&mut self, decides: bool, late: bool) {
        self.decides = decides;
        self.late |= late;
        if decides {
            self.decisions += 1;
            self.silent = late.then(|| self.silent.unwrap_or(self.decisions));
        }
    }

    /// Its part ends with what was closed last.
    pub(super) fn falls(&mut self) {
        let turn = self.decisions + u32::from(!self.decides);
        self.fell.get_or_insert(turn);
    }

    /// How it took part. What a program is started from is left out.
    pub(super) fn participation(
        &self,
        player: &mut Player,
        blame: Option<&Blame>,
    ) -> Participation {
        let account = match player {
            Player::Builtin(bot) => bot.account().map(Account::participation),
            Player::Program(_) => None,
        };
        let played = account.unwrap_or_else(Participation::played);
        if let Some(blame) = blame {
            let mut detail = blame.detail.clone();
            if let Player::Program(pipes) = player {
                pipes.settle();
                let failure = pipes.failure.as_deref();
                let told = pipes.started && blame.cause == Cause::Crash;
                detail.extend(
                    failure
                        .filter(|_| told)
                        .map(|failure| format!(": {failure}")),
                );
            }
            return Participation {
                how: Part::of_fault(blame.cause),
                turn: self.fell,
                detail,
                ..played
            };
        }
        let lasts = |since: &u32| !is_earned(0, u64::from(self.decisions + 1 - since));
        match self.silent.filter(lasts) {
            Some(turn) => Participation {
                how: Part::Silent,
                turn: Some(turn),
                detail: "it did not answer in time".to_owned(),
                ..played
            },
            None => played,
        }
    }
}
