//! In-process games between built-in players for measuring, signatures and tests: no wire, no clock.

use super::registry::{CARDS, make};
use crate::game::{Bot, Budget, Game as _, Seat};
use crate::lighthouses::map::Map;
use crate::lighthouses::rules::{Act, Ask, Event, Lighthouses, Refusal, Setup, View};
use std::sync::Arc;

/// Nodes a decision in the games that go into a signature.
const SIGNATURE_NODES: u64 = 200;
/// Rounds of such a game.
const SIGNATURE_ROUNDS: u32 = 120;

/// The maps of those games.
const SIGNATURE_MAPS: [&str; 2] = [
    "\
###############
#!     #    ! #
#  1          #
#     !     ###
#!       2    #
##         !  #
#  3  !    #  #
#        4    #
#!           !#
###############
",
    "\
##########
#   !  1##
# !      #
##    ! ##
#  !     #
# 2   3  #
#    !  !#
##########
",
];

/// Players at one table.
pub struct Table {
    bots: Vec<Box<dyn Bot<Lighthouses>>>,
}

impl Table {
    /// Seats the players with these names, or `None` if one does not exist.
    #[must_use]
    pub fn new(names: &[&str], seed: u64) -> Option<Self> {
        let bot = |(seat, name): (u64, &&str)| make(name, seed.wrapping_mul(16).wrapping_add(seat));
        let bots = (0..).zip(names).map(bot).collect::<Option<_>>()?;
        Some(Self { bots })
    }

    /// Seats these players.
    #[must_use]
    pub fn of(bots: Vec<Box<dyn Bot<Lighthouses>>>) -> Self {
        Self { bots }
    }

    /// Plays one game; `decide` asks the bot on a seat, `seen` is told what became of each act.
    /// Everybody is asked to get ready before the first turn.
    pub fn play_by(
        &mut self,
        setup: &Setup,
        mut decide: impl FnMut(Seat, &mut dyn Bot<Lighthouses>, &View, &Ask) -> Act,
        mut seen: impl FnMut(Seat, Act, Result<(), Refusal>),
    ) -> Lighthouses {
        let mut game = Lighthouses::start(setup);
        let players = game.players().len();
        for (seat, bot) in (0u8..).map(Seat).zip(&mut self.bots).take(players) {
            bot.observe(&Event::Begins(Arc::clone(game.chart()), seat, players));
            let view = View {
                round: 0,
                position: game.told(seat).position,
                score: 0,
                energy: 0,
                keys: 0,
                seen: Vec::new(),
                beacons: Vec::new(),
            };
            decide(seat, bot.as_mut(), &view, &Ask::Prepare);
        }
        while let Some(seat) = game.turn() {
            let bot = self.bots.get_mut(seat.index());
            let act = bot.map_or(Act::Pass, |bot| {
                decide(seat, bot.as_mut(), &game.told(seat), &Ask::Turn)
            });
            let done = game.play(act);
            seen(seat, act, done);
            if let Some(bot) = self.bots.get_mut(seat.index()) {
                bot.observe(&Event::Done(act, done));
            }
        }
        game
    }

    /// Plays one game with this many nodes a decision.
    pub fn play(&mut self, setup: &Setup, nodes: u64) -> Lighthouses {
        self.play_by(
            setup,
            |_, bot, view, ask| bot.decide(view, ask, Budget::nodes(nodes)),
            |_, _, _| {},
        )
    }
}

/// A number that changes only when the play of the bot with this name changes: a digest of its acts
/// in fixed seeded games against ring builders and triangle hunters.
#[must_use]
pub fn signature(name: &str) -> Option<u64> {
    CARDS.iter().find(|card| card.name == name)?;
    let mut digest = 0xCBF2_9CE4_8422_2325u64;
    let mut fold = |bytes: &[u8]| {
        for byte in bytes {
            digest = (digest ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3);
        }
    };
    for (number, text) in (0u64..).zip(SIGNATURE_MAPS) {
        let names: &[&str] = match number {
            0 => &["ring", name, "triangle"],
            _ => &[name, "ring"],
        };
        let setup = Setup {
            map: Map::read(text).ok()?,
            players: names.len(),
            rounds: SIGNATURE_ROUNDS,
        };
        let own = names.iter().position(|seated| *seated == name)?;
        let game = Table::new(names, number)?.play_by(
            &setup,
            |_, bot, view, ask| bot.decide(view, ask, Budget::nodes(SIGNATURE_NODES)),
            |seat, act, _| {
                if seat.index() == own {
                    fold(format!("{act:?}").as_bytes());
                }
            },
        );
        fold(format!("{:?}", game.scores()).as_bytes());
    }
    Some(digest)
}
