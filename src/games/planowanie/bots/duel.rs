//! In-process games between built-in players for measuring, signatures and tests: no wire, no clock.

use super::registry::{CARDS, make};
use crate::game::{Bot, Budget, Game as _, Seat};
use crate::planowanie::cards::Deck;
use crate::planowanie::rules::{Act, Ask, Event, Game, PlannedDeal, Planowanie, Setup, View};
use std::sync::Arc;

/// Nodes a decision in the games that go into a signature.
const SIGNATURE_NODES: u64 = 300;

/// Players at one table.
pub struct Table {
    bots: Vec<Box<dyn Bot<Planowanie>>>,
}

impl Table {
    /// Seats the players with these names, or `None` if one does not exist.
    #[must_use]
    pub fn new(names: &[&str], seed: u64) -> Option<Self> {
        let bot = |(seat, name): (usize, &&str)| {
            make(name, seed.wrapping_mul(4).wrapping_add(seat as u64))
        };
        let bots = names.iter().enumerate().map(bot).collect::<Option<_>>()?;
        Some(Self { bots })
    }

    /// Seats these players.
    #[must_use]
    pub fn of(bots: Vec<Box<dyn Bot<Planowanie>>>) -> Self {
        Self { bots }
    }

    /// Plays one game; `decide` asks the bot, `seen` is told every position before it is acted in and
    /// the acts.
    pub fn play_by(
        &mut self,
        setup: &Arc<Setup>,
        mut decide: impl FnMut(&mut dyn Bot<Planowanie>, &View, &Ask) -> Act,
        mut seen: impl FnMut(&Planowanie, &[(Seat, Option<Act>)]),
    ) -> Planowanie {
        let mut game = Planowanie::start(setup);
        for (seat, bot) in (0u8..).map(Seat).zip(&mut self.bots) {
            bot.observe(&Event::Begins(Arc::clone(game.game()), seat));
            bot.observe(&Event::Dealt(game.hand(seat)));
        }
        let mut events = Vec::new();
        while !game.is_over() {
            let mut acts = Vec::new();
            for (seat, bot) in (0u8..).map(Seat).zip(&mut self.bots) {
                if let Some(ask) = game.ask(seat) {
                    let act = decide(bot.as_mut(), &game.view(seat), &ask);
                    acts.push((seat, Some(act)));
                }
            }
            seen(&game, &acts);
            game.step(&acts, &mut events);
            for (seat, event) in events.drain(..) {
                if let Some(bot) = self.bots.get_mut(seat.index()) {
                    bot.observe(&event);
                }
            }
        }
        game
    }

    /// Plays one game with this many nodes a decision.
    pub fn play(&mut self, setup: &Arc<Setup>, nodes: u64) -> Planowanie {
        self.play_by(
            setup,
            |bot, view, ask| bot.decide(view, ask, Budget::nodes(nodes)),
            |_, _| {},
        )
    }
}

/// Games that every player can be seated in: one of the tournament, and two odd ones.
fn signature_games() -> Option<[Game; 3]> {
    let planned = |(cards, leader)| PlannedDeal {
        cards,
        leader: Seat(leader),
    };
    let short = Deck::new("789TJQKA", "CDHS").ok()?;
    let tiny = Deck::new("abcdefghi", "xyz").ok()?;
    Some([
        Game::contest(),
        Game::new(short, 3, [(5, 0), (8, 2), (10, 1)].map(planned).to_vec()).ok()?,
        Game::new(tiny, 2, [(6, 1), (11, 0)].map(planned).to_vec()).ok()?,
    ])
}

/// A number that changes only when the play of the bot with this name changes: a digest of its acts
/// in fixed seeded games against players by rules.
#[must_use]
pub fn signature(name: &str) -> Option<u64> {
    CARDS.iter().find(|card| card.name == name)?;
    let mut digest = 0xCBF2_9CE4_8422_2325u64;
    let mut fold = |bytes: &[u8]| {
        for byte in bytes {
            digest = (digest ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3);
        }
    };
    for (number, game) in (0u64..).zip(signature_games()?) {
        let own = number as usize % game.players();
        let mut names = vec!["rules"; game.players()];
        names[own] = name;
        let setup = Arc::new(Setup::seeded(game, number));
        let game = Table::new(&names, number)?.play_by(
            &setup,
            |bot, view, ask| bot.decide(view, ask, Budget::nodes(SIGNATURE_NODES)),
            |_, acts| {
                let own = acts.iter().filter(|(seat, _)| seat.index() == own);
                own.for_each(|(_, act)| fold(format!("{act:?}").as_bytes()));
            },
        );
        fold(format!("{:?}", game.outcome()).as_bytes());
    }
    Some(digest)
}
