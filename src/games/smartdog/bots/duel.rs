//! In-process matches between built-in players for measuring, signatures and tests: no wire, no
//! clock. The seats' commands of one turn work in an order that rotates by turn.

use super::registry::{CARDS, make};
use crate::game::{Bot, Budget, Game, Seat, Seats};
use crate::smartdog::generate::{Style, generate};
use crate::smartdog::known::KnownMaps;
use crate::smartdog::map::{Map, Square};
use crate::smartdog::options::{Key, Options};
use crate::smartdog::rules::{Ask, Event, Orders, Players, Setup, SmartDog, View};
use std::sync::Arc;

/// Turns of a match that go into a signature.
const SIGNATURE_TURNS: u32 = 80;
/// Nodes a decision in those matches.
const SIGNATURE_NODES: u64 = 500;

/// Players at one world.
pub struct Stage {
    bots: Vec<Box<dyn Bot<SmartDog>>>,
}

impl Stage {
    /// Seats the players with these names, or `None` if one does not exist.
    #[must_use]
    pub fn new(names: &[&str], seed: u64, known: &KnownMaps) -> Option<Self> {
        let bot = |(seat, name): (usize, &&str)| {
            make(name, seed.wrapping_mul(4).wrapping_add(seat as u64), known)
        };
        let bots = names.iter().enumerate().map(bot).collect::<Option<_>>()?;
        Some(Self { bots })
    }

    /// Seats these players.
    #[must_use]
    pub fn of(bots: Vec<Box<dyn Bot<SmartDog>>>) -> Self {
        Self { bots }
    }

    /// Plays one match; `decide` asks the bot, `seen` is told every turn's position before it is
    /// played and the orders of all seats.
    pub fn play_by(
        &mut self,
        setup: &Setup,
        mut decide: impl FnMut(&mut dyn Bot<SmartDog>, &View, Seat, &Ask) -> Orders,
        mut seen: impl FnMut(&SmartDog, &[(Seat, Option<Orders>)]),
    ) -> SmartDog {
        let mut game = SmartDog::begin(setup);
        let players = setup.players.count();
        let mut views: Seats<Arc<View>> =
            Seats::from_fn(players, |seat| Arc::new(game.seen_by(seat)));
        for (bot, (_, view)) in self.bots.iter_mut().zip(views.iter()) {
            bot.observe(&Event::Turn(Arc::clone(view)));
        }
        let mut events = Vec::new();
        while game.outcome().is_none() {
            let turn = game.turn();
            let mut acts = Vec::new();
            for at in 0..players {
                let seat = (at + turn as usize - 1) % players;
                let (Some(bot), Some(view)) =
                    (self.bots.get_mut(seat), views.get(Seat(seat as u8)))
                else {
                    continue;
                };
                let orders = decide(bot.as_mut(), view, Seat(seat as u8), &Ask { turn });
                bot.observe(&Event::Ordered(orders.clone()));
                acts.push((Seat(seat as u8), Some(orders)));
            }
            seen(&game, &acts);
            game.step(&acts, &mut events);
            for (seat, event) in events.drain(..) {
                if let Event::Turn(view) = &event {
                    views[seat] = Arc::clone(view);
                }
                if let Some(bot) = self.bots.get_mut(seat.index()) {
                    bot.observe(&event);
                }
            }
        }
        game
    }

    /// Plays one match with this many nodes a decision.
    pub fn play(&mut self, setup: &Setup, nodes: u64) -> SmartDog {
        self.play_by(
            setup,
            |bot, view, _, ask| bot.decide(view, ask, Budget::nodes(nodes)),
            |_, _| {},
        )
    }
}

/// A number that changes only when the play of the bot with this name changes: a digest of its
/// orders in fixed seeded matches against fixed rivals.
#[must_use]
pub fn signature(name: &str) -> Option<u64> {
    CARDS.iter().find(|card| card.name == name)?;
    let mut digest = 0xCBF2_9CE4_8422_2325u64;
    let mut fold = |bytes: &[u8]| {
        for byte in bytes {
            digest = (digest ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3);
        }
    };
    for (number, players) in (0u64..).zip(Players::ALL) {
        let own = number as usize % players.count();
        let mut names = vec!["shipped"; players.count()];
        names[own] = name;
        let mut stage = Stage::new(&names, number, &KnownMaps::none())?;
        let setup = Setup {
            map: shortened(&generate(number, &Style::default()))?,
            players,
            options: Options::default(),
        };
        let game = stage.play_by(
            &setup,
            |bot, view, _, ask| bot.decide(view, ask, Budget::nodes(SIGNATURE_NODES)),
            |_, acts| {
                let acts = acts.iter().filter(|(seat, _)| seat.index() == own);
                acts.for_each(|(_, orders)| fold(format!("{orders:?}").as_bytes()));
            },
        );
        fold(format!("{:?}", game.outcome()).as_bytes());
    }
    Some(digest)
}

/// The same map with few turns.
fn shortened(map: &Map) -> Option<Map> {
    let mut header = map.header().clone();
    header
        .set(Key::TurnsLimit, i64::from(SIGNATURE_TURNS))
        .ok()?;
    let rows: Vec<Vec<Square>> = map.iter().map(<[Square]>::to_vec).collect();
    Map::new(header, &rows).ok()
}
