//! What happened from one state to the next, for a spectator: sheep that get into pens and out of them, with the points
//! that follow, and dogs that take fright. Barks are routine.

use super::state::{DogState, PlayerState, State, hundredths};
use crate::rules::{DogAction, SheepAction};
use drover_game::scene::{News, Scene, Who};
use drover_game::sentence::listed;
use drover_game::text::counted;
use serde::Deserialize as _;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Players whose sheep are named.
const NAMED_MAX: usize = 2;

/// What happened. The end has a title of its own.
#[must_use]
pub fn news(before: &Value, now: &Scene) -> Option<News> {
    let was = State::deserialize(before).ok()?;
    let is = State::deserialize(&now.state).ok()?;
    if now.title != is.title() {
        return None;
    }
    let step = Step { was: &was, is: &is };
    let mut events = step.penned();
    let more = events.len().saturating_sub(NAMED_MAX);
    events.truncate(NAMED_MAX);
    match more {
        0 if events.is_empty() => events.extend(step.alarm()),
        0 => {}
        more => events.push(format!("and {more} more")),
    }
    Some(match events.is_empty() {
        true => News::quiet(step.movement().unwrap_or_else(|| now.title.clone())),
        false => News::loud(events.join("; ")),
    })
}

/// Two states in a row.
struct Step<'a> {
    was: &'a State,
    is: &'a State,
}

impl Step<'_> {
    /// Players whose pens have more sheep or fewer.
    fn penned(&self) -> Vec<String> {
        let pairs = self.was.players.iter().zip(&self.is.players);
        pairs.filter_map(|(was, is)| penned(was, is)).collect()
    }

    /// Those whose dogs begin to panic.
    fn alarm(&self) -> Option<String> {
        let afraid = in_panic(self.was);
        let mut struck: BTreeMap<u8, usize> = BTreeMap::new();
        for (_, player) in in_panic(self.is).difference(&afraid) {
            *struck.entry(*player).or_default() += 1;
        }
        let each = |(player, dogs): (&u8, &usize)| {
            format!("{} of {}", counted(*dogs, "dog"), who(*player))
        };
        match (struck.first_key_value(), struck.len()) {
            (None, _) => None,
            (Some((player, 1)), 1) => Some(format!("{}: 1 dog panics", who(*player))),
            (Some((player, dogs)), 1) => Some(format!("{}: {dogs} dogs panic", who(*player))),
            (_, 2) => {
                let struck: Vec<String> = struck.iter().map(each).collect();
                Some(format!("{} panic", listed(&struck)))
            }
            (_, all) => Some(format!("dogs of {all} players panic")),
        }
    }

    /// What goes on: barks, sheep that run, or else whose dogs have moved.
    fn movement(&self) -> Option<String> {
        let mut parts = Vec::new();
        let bark = barkers(self.is);
        if self.is.turn > self.was.turn && !bark.is_empty() {
            parts.push(barking(&bark));
        }
        let sheep = self.is.sheep.iter();
        let running = sheep.filter(|sheep| sheep.action == SheepAction::Panic);
        let running = running.count();
        if self.is.turn > self.was.turn && running > 0 {
            parts.push(format!("{running} sheep run"));
        }
        if parts.is_empty() {
            let places = |dog: &DogState| (dog.number, (dog.x, dog.y));
            let known: BTreeMap<_, _> = self.was.dogs.iter().map(places).collect();
            let moved = self.is.dogs.iter().filter(|dog| {
                let before = known.get(&dog.number);
                before.is_some_and(|at| *at != (dog.x, dog.y))
            });
            let moved: BTreeSet<u8> = moved.map(|dog| dog.player).collect();
            let names: Vec<String> = moved.into_iter().map(who).collect();
            match names.as_slice() {
                [] => {}
                [one] => parts.push(format!("{one} moves")),
                all => parts.push(format!("{} move", listed(all))),
            }
        }
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}

/// Sheep that a player has won or lost, with what it has then.
fn penned(was: &PlayerState, is: &PlayerState) -> Option<String> {
    let (before, now) = (was.penned?, is.penned?);
    let who = who(is.player);
    let change = match now.abs_diff(before) {
        0 => return None,
        1 => "a sheep".to_owned(),
        sheep => format!("{sheep} sheep"),
    };
    let points = is.points.map(|points| {
        let points = hundredths(points);
        format!(", {}", counted(points, "point"))
    });
    let points = points.unwrap_or_default();
    Some(match now > before {
        true => format!("{who} pens {change}: {now} in its pen{points}"),
        false => format!("{who} loses {change}: {now} left in its pen{points}"),
    })
}

/// Players whose dogs barked last turn; `None`: dogs out of sight.
type Barkers = BTreeSet<Option<u8>>;

fn barkers(state: &State) -> Barkers {
    let dogs = state.dogs.iter().filter(|dog| dog.barked);
    let voices = state.voices.iter().map(|_| None);
    dogs.map(|dog| Some(dog.player)).chain(voices).collect()
}

fn barking(players: &Barkers) -> String {
    let name = |player: &Option<u8>| player.map_or_else(|| "a dog out of sight".to_owned(), who);
    let names: Vec<String> = players.iter().map(name).collect();
    let verb = if names.len() == 1 { "barks" } else { "bark" };
    format!("{} {verb}", listed(&names))
}

/// Dogs that panic, with their players.
fn in_panic(state: &State) -> BTreeSet<(u64, u8)> {
    let dogs = state
        .dogs
        .iter()
        .filter(|dog| dog.action == DogAction::Panic);
    dogs.map(|dog| (dog.number, dog.player)).collect()
}

fn who(player: u8) -> String {
    Who(usize::from(player.saturating_sub(1))).to_string()
}
