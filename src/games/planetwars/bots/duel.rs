//! In-process games between built-in players for measuring, signatures and tests: no wire, no clock.

use super::registry::make;
use crate::game::{Bot, Budget, Game as _, Seat};
use crate::planetwars::rules::{Act, Ask, PlanetWars, Setup, View};

/// Players of one game.
pub struct Duel {
    bots: Vec<Box<dyn Bot<PlanetWars>>>,
}

impl Duel {
    /// Seats the players with these names, or `None` if one does not exist.
    #[must_use]
    pub fn new(names: &[&str], seed: u64) -> Option<Self> {
        let bot =
            |(seat, name): (u64, &&str)| make(name, seed.wrapping_mul(128).wrapping_add(seat));
        let bots = (0..).zip(names).map(bot).collect::<Option<_>>()?;
        Some(Self { bots })
    }

    /// Seats these players.
    #[must_use]
    pub fn of(bots: Vec<Box<dyn Bot<PlanetWars>>>) -> Self {
        Self { bots }
    }

    /// Plays one game; `decide` asks the bot on a seat. Whoever answers what the rules forbid is dropped.
    pub fn play_by(
        &mut self,
        setup: &Setup,
        mut decide: impl FnMut(Seat, &mut dyn Bot<PlanetWars>, &View) -> Act,
    ) -> PlanetWars {
        let mut game = PlanetWars::start(setup);
        while game.outcome().is_none() {
            let mut acts = Vec::with_capacity(self.bots.len());
            for (seat, bot) in (0u8..).map(Seat).zip(&mut self.bots) {
                if game.ask(seat).is_some() {
                    let act = decide(seat, bot.as_mut(), &game.view(seat));
                    acts.push((seat, Some(act)));
                }
            }
            game.answered(&acts);
        }
        game
    }

    /// Plays one game with this many nodes a decision.
    pub fn play(&mut self, setup: &Setup, nodes: u64) -> PlanetWars {
        self.play_by(setup, |_, bot, view| {
            bot.decide(view, &Ask, Budget::nodes(nodes))
        })
    }
}
