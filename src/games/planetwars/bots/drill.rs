//! Rings tested apart from any game: random teams, late words, garbage, failing mates.

use super::ring::{HELLO, RELAY, Ring, word};
use crate::rules::{NEUTRAL, Planet, PlayerId, TEAM_MAX, View};
use drover_game::rng::Rng;
use std::sync::Arc;

/// The seeds' random streams begin here.
const DRILL_STREAM: u64 = 5 << 32;
/// Turns in a drill.
pub const TURNS: u32 = 60;
/// The most players in a drill for which masks suffice.
const FEW: u32 = 20;
/// The most players that fit in a mask.
const MASKED: usize = 24;
/// Players in a drill for which they do not.
const MANY: std::ops::Range<u32> = 25..61;

/// The scenario.
#[derive(Clone, Copy, Debug)]
pub struct Drill {
    /// Seeds all randomness.
    pub seed: u64,
    /// Rounds after which a word arrives: 0 if players are asked one after another and each receives the
    /// previous one's word at once, 1 by the rules, 2 if words arrive later still.
    pub lag: u32,
    /// Players in the team, from 1.
    pub size: usize,
    /// Whether there are too many players for masks.
    pub many: bool,
    /// Whether a member fails at some point, and is silent or sends garbage from then on.
    pub crash: bool,
    /// Whether initial garbage looks like true words.
    pub plausible: bool,
}

/// The results.
#[derive(Clone, Debug, Default)]
pub struct Drilled {
    /// Strangers mistaken for mates, over all members and turns.
    pub false_members: usize,
    /// Members that believed their team complete when it was not.
    pub false_proofs: usize,
    /// The first turn in which all playing members knew the whole team.
    pub complete: Option<u32>,
    /// The first turn in which all of them had settled.
    pub settled: Option<u32>,
    /// Mates still unknown at the end, over all playing members.
    pub missing: usize,
}

struct Fail {
    member: usize,
    turn: u32,
    garbage: bool,
}

impl Fail {
    fn has_failed(&self, member: usize, turn: u32) -> bool {
        self.member == member && turn >= self.turn
    }
}

/// What is received before any member spoke. What looks like a true word among many names names one of
/// `strangers`, since by chance alone none names exactly the receiver.
fn garbage(rng: &mut Rng, players: usize, plausible: bool, strangers: &[usize]) -> u32 {
    if !plausible {
        return rng.bits() as u32;
    }
    if players > MASKED {
        let distance = 1 + rng.below(TEAM_MAX as u32);
        let stranger = strangers[rng.below(strangers.len() as u32) as usize];
        return word(RELAY, (stranger as u32) << 17 | distance << 12);
    }
    // Honest first words have a lone bit, so there are at least two.
    let bit = |rng: &mut Rng| 1 << rng.below(players as u32);
    let all = (1u32 << players) - 1;
    let mask = rng.bits() as u32 & rng.bits() as u32 & all | bit(rng) | bit(rng);
    word(HELLO, mask)
}

/// Runs it to the end.
#[must_use]
pub fn drill(plan: &Drill) -> Drilled {
    let mut rng = Rng::new(plan.seed, DRILL_STREAM);
    let size = plan.size.clamp(1, TEAM_MAX);
    let players = if plan.many {
        MANY.start + rng.below(MANY.end - MANY.start)
    } else {
        let least = (size as u32).max(2);
        least + rng.below(FEW + 1 - least)
    } as usize;
    let mut numbers: Vec<PlayerId> = Vec::new();
    while numbers.len() < players {
        let number = 1 + rng.below(300);
        if !numbers.contains(&number) {
            numbers.push(number);
        }
    }
    let planets = Arc::new(homes(&numbers));
    let mut team = numbers[..size].to_vec();
    team.sort_unstable();
    let fail = plan.crash.then(|| Fail {
        member: rng.below(size as u32) as usize,
        turn: rng.below(14),
        garbage: rng.chance(0.5),
    });
    let view = |turn: u32, you: PlayerId, word: u32| View {
        turn,
        planets: Arc::clone(&planets),
        fleets: None,
        message: Some(word),
        you,
    };
    let mut rings: Vec<Ring> = team
        .iter()
        .map(|you| Ring::new(&view(0, *you, 0)))
        .collect();
    let strangers = rings[0].players().iter().enumerate();
    let strangers = strangers.filter(|(_, player)| !team.contains(player));
    let strangers: Vec<usize> = strangers.map(|(place, _)| place).collect();
    // What each member said in the last rounds, the latest last; before the game it was garbage.
    let mut said: Vec<Vec<u32>> = team
        .iter()
        .map(|_| {
            (0..2)
                .map(|_| garbage(&mut rng, players, plan.plausible, &strangers))
                .collect()
        })
        .collect();
    let mut out = Drilled::default();
    for turn in 0..TURNS {
        let said_before: Vec<Vec<u32>> = said.clone();
        for member in 0..size {
            let before = (member + size - 1) % size;
            // If asked one after another, only the first receives a word of the previous round.
            let lag = if member == 0 {
                plan.lag.max(1)
            } else {
                plan.lag
            };
            let words = if lag == 0 { &said } else { &said_before };
            let words = &words[before];
            let received = words[words.len() - lag.max(1) as usize];
            let word = match fail.as_ref().filter(|fail| fail.has_failed(member, turn)) {
                Some(fail) if fail.garbage => rng.bits() as u32,
                Some(_) => 0,
                None => {
                    rings[member].receive(&view(turn, team[member], received));
                    rings[member].say()
                }
            };
            said[member].push(word);
        }
        let failed = |member| {
            fail.as_ref()
                .is_some_and(|fail| fail.has_failed(member, turn))
        };
        let playing = || (0..).zip(&rings).filter(|(member, _)| !failed(*member));
        for (_, ring) in playing() {
            let strangers = ring.mates().iter().filter(|mate| !team.contains(mate));
            out.false_members += strangers.count();
            out.false_proofs += usize::from(ring.complete() && ring.mates().len() != size);
        }
        if playing().all(|(_, ring)| ring.complete()) {
            out.complete = out.complete.or(Some(turn));
        }
        if playing().all(|(_, ring)| ring.settled()) {
            out.settled = out.settled.or(Some(turn));
        }
        out.missing = playing()
            .map(|(_, ring)| size - ring.mates().len().min(size))
            .sum();
    }
    out
}

/// A home for each.
fn homes(numbers: &[PlayerId]) -> Vec<Planet> {
    let home = |(id, owner): (u32, &PlayerId)| Planet {
        id,
        x: f64::from(id),
        y: 0.0,
        growth: 1,
        owner: *owner,
        ships: 2,
    };
    let nobodys = Planet {
        owner: NEUTRAL,
        ..home((numbers.len() as u32, &NEUTRAL))
    };
    let homes = (0..).zip(numbers).map(home);
    homes.chain([nobodys]).collect()
}
