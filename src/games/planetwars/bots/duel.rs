//! In-process games between built-in players for measuring, signatures and tests: no wire, no clock.

use super::registry::{CARDS, make};
use crate::game::{Bot, Budget, Game as _, Seat};
use crate::planetwars::generate::{Look, Style, generate};
use crate::planetwars::rules::{Act, Ask, PlanetWars, PlayerId, Ruleset, Setup, View};

/// Nodes a decision in the games that go into a signature.
const SIGNATURE_NODES: u64 = 2_000;
/// Rounds of such a game.
const SIGNATURE_ROUNDS: u32 = 90;
/// Team sizes of those games, and what their maps look like.
const SIGNATURE_GAMES: [(usize, Look); 3] =
    [(1, Look::Google), (2, Look::Contest), (3, Look::Google)];

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

/// A number that changes only when the play of the bot with this name changes: a digest of the acts of a team
/// of it in fixed seeded games against frontiers.
#[must_use]
pub fn signature(name: &str) -> Option<u64> {
    CARDS.iter().find(|card| card.name == name)?;
    let mut digest = 0xCBF2_9CE4_8422_2325u64;
    let mut fold = |text: String| {
        for byte in text.bytes() {
            digest = (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
        }
    };
    for (seed, (size, look)) in (1..).zip(SIGNATURE_GAMES) {
        let setup = teams(seed, size, look)?;
        let mut names = vec![name; size];
        names.resize(2 * size, "frontier-team");
        let game = Duel::new(&names, seed)?.play_by(&setup, |seat, bot, view| {
            let act = bot.decide(view, &Ask, Budget::nodes(SIGNATURE_NODES));
            if seat.index() < size {
                fold(format!("{act:?}"));
            }
            act
        });
        fold(format!("{:?}", game.outcome()));
    }
    Some(digest)
}

/// Two teams of this size, their players' numbers odd and even, on a drawn map.
fn teams(seed: u64, size: usize, look: Look) -> Option<Setup> {
    let style = Style {
        look,
        players: 2 * size,
        planets: None,
        side: None,
    };
    let odd = (0..size as PlayerId).map(|place| 2 * place + 1);
    Some(Setup {
        planets: generate(seed, &style).ok()?,
        players: odd.clone().chain(odd.map(|player| player + 1)).collect(),
        teams: (0..2 * size).map(|seat| u8::from(seat >= size)).collect(),
        ruleset: Ruleset {
            rounds: SIGNATURE_ROUNDS,
            ..Ruleset::TEAM
        },
    })
}
