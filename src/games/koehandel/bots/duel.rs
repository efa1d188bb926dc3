//! In-process matches between built-in players for tuning, signatures and tests: no wire, no clock,
//! and only those who listen are told anything.

use super::registry::{CARDS, listens, make};
use crate::game::{Bot, Budget, Game, Seat};
use crate::koehandel::cards::PLAYERS;
use crate::koehandel::message::Message;
use crate::koehandel::models::Models;
use crate::koehandel::options::{Options, TradePayment};
use crate::koehandel::rules::{Act, Ask, Ear, Koehandel, Setup};

/// Matches whose play makes up a signature, for each way to pay a trade.
const SIGNATURE_MATCHES: u64 = 6;
/// Nodes a decision in those matches.
const SIGNATURE_NODES: u64 = 60;

/// Four players at a table.
pub struct Stage {
    bots: Vec<Box<dyn Bot<Koehandel>>>,
    ears: Ears,
}

struct Ears {
    listens: [bool; PLAYERS],
    heard: Vec<(Seat, Message)>,
}

impl Ear for Ears {
    fn hear(&mut self, seat: usize, message: impl FnOnce() -> Message) {
        if self.listens[seat] {
            self.heard.push((Seat(seat as u8), message()));
        }
    }
}

impl Stage {
    /// Seats the players with these names, or `None` if one does not exist.
    #[must_use]
    pub fn new(names: [&str; PLAYERS], seed: u64, models: &Models) -> Option<Self> {
        let bots = names
            .iter()
            .enumerate()
            .map(|(seat, name)| {
                make(
                    name,
                    seed.wrapping_mul(PLAYERS as u64) + seat as u64,
                    models,
                )
            })
            .collect::<Option<Vec<_>>>()?;
        Some(Self::of(bots, names.map(listens)))
    }

    /// Seats these players; `listens` says who is told what he hears.
    #[must_use]
    pub fn of(bots: Vec<Box<dyn Bot<Koehandel>>>, listens: [bool; PLAYERS]) -> Self {
        Self {
            bots,
            ears: Ears {
                listens,
                heard: Vec::new(),
            },
        }
    }

    /// Plays one match. `budget` gives each seat's nodes, `seen` is told every answer.
    pub fn play(
        &mut self,
        setup: &Setup,
        mut budget: impl FnMut(usize) -> u64,
        mut seen: impl FnMut(&Koehandel, usize, &Act),
    ) -> Koehandel {
        self.play_by(setup, |bot, game, seat, ask| {
            let act = bot.decide(game.seen_by(seat), ask, Budget::nodes(budget(seat)));
            seen(game, seat, &act);
            act
        })
    }

    /// Plays one match; `decide` asks the bot.
    pub fn play_by(
        &mut self,
        setup: &Setup,
        mut decide: impl FnMut(&mut dyn Bot<Koehandel>, &Koehandel, usize, &Ask) -> Act,
    ) -> Koehandel {
        let mut game = Koehandel::begin(setup, &mut self.ears);
        while let Some((seat, ask)) = game.asked() {
            for (seat, message) in self.ears.heard.drain(..) {
                self.bots[seat.index()].observe(&message);
            }
            let act = decide(self.bots[seat].as_mut(), &game, seat, &ask);
            game.play(Some(act), &mut self.ears);
        }
        game
    }
}

/// A number that changes only when the play of the bot with this name changes: a digest of its
/// answers in fixed seeded matches against fixed rivals under both ways to pay a trade.
#[must_use]
pub fn signature(name: &str) -> Option<u64> {
    let rivals: [&str; 3] = ["guide", "tuned", "random"];
    CARDS.iter().find(|card| card.name == name)?;
    let mut digest = 0xCBF2_9CE4_8422_2325u64;
    let mut fold = |bytes: &[u8]| {
        for byte in bytes {
            digest = (digest ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3);
        }
    };
    for trade_payment in [TradePayment::Winner, TradePayment::Exchange] {
        let options = Options {
            trade_payment,
            ..Options::default()
        };
        for number in 0..SIGNATURE_MATCHES {
            let own = number as usize % PLAYERS;
            let mut names = [rivals[0], rivals[1], rivals[2], rivals[0]];
            names[own] = name;
            let mut stage = Stage::new(names, number, &Models::none())?;
            let setup = Setup::deal(number, options);
            let game = stage.play(
                &setup,
                |_| SIGNATURE_NODES,
                |_, seat, act| {
                    if seat == own {
                        fold(format!("{act:?}").as_bytes());
                    }
                },
            );
            fold(format!("{:?}", game.outcome()).as_bytes());
        }
    }
    Some(digest)
}
