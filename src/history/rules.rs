//! [`GameRules`]: what the store's writer asks of the games.

use crate::store::{BotVersion, MatchResult, Rules};
use games::{Kit, Outcome};
use serde_json::Value;
use std::sync::Arc;

/// Finds a game by its name: [`games::find`] everywhere except in tests.
pub type KitOf = fn(&str) -> Option<&'static dyn Kit>;

/// The rules of the games, for the store.
#[derive(Clone, Copy, Debug)]
pub struct GameRules {
    find: KitOf,
}

impl GameRules {
    /// The rules of the games that this finds.
    #[must_use]
    pub fn found_by(find: KitOf) -> Arc<dyn Rules> {
        Arc::new(Self { find })
    }

    /// The rules of all games.
    #[must_use]
    pub fn all() -> Arc<dyn Rules> {
        Self::found_by(games::find)
    }
}

impl Rules for GameRules {
    fn kit(&self, game: &str) -> Option<&'static dyn Kit> {
        (self.find)(game)
    }

    fn bots(&self) -> Vec<BotVersion> {
        let bots = games::ALL.iter().flat_map(|kit| {
            let bots = kit.card().bots.iter();
            bots.map(|bot| BotVersion {
                game: kit.card().name,
                name: bot.name,
                version: bot.version,
                signature: bot.signature,
            })
        });
        bots.collect()
    }

    fn place(&self, game: &str, rival: &str) -> Option<u8> {
        self.kit(game)?.card().places.clockwise(rival)
    }

    fn win_shares(&self, game: &str, setup: &str, result: &MatchResult) -> Vec<f64> {
        let outcome = Outcome {
            cause: result.cause,
            scores: result.scores.iter().copied().collect(),
        };
        let shares = match self.kit(game) {
            Some(kit) => {
                let teams = kit.card().teams_of(setup);
                let is_last = |seat| result.is_last(seat);
                kit.earned(teams.as_deref(), &outcome, is_last).0
            }
            None => outcome.win_shares(),
        };
        shares.iter().map(|(_, share)| *share).collect()
    }

    fn merged(&self, game: &str, model: Option<&Value>, evidence: &Value) -> Option<Value> {
        let models = self.kit(game)?.card().models?;
        Some(models.merge(model, evidence))
    }
}
