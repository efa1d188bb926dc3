//! What is kept of a match for history: barks, sheep won and lost, the own score, disabled dogs,
//! refused commands, the result.

use super::last_turn::penned_after;
use super::options::{Key, Options};
use super::rules::{Command, DogAction, DogId, Ground, Land, Orders, Seen, Spot, View};
use drover_game::game::Seat;
use drover_game::sighting::Sighting;
use drover_game::wire::Fact;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Facts found and not yet fetched are at most this many; a turn has a dozen.
const UNFETCHED_MAX: usize = 1_000;
/// Cells of a pen that is watched at most.
const PEN_MAX: usize = 2_500;
/// Own dogs that watch it at most.
const WATCHERS_MAX: usize = 100;
/// Letters of a hub's text that are kept.
const TEXT_MAX: usize = 200;

/// Finds facts turn by turn.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    found: Vec<Fact>,
    view: Option<Arc<View>>,
    /// What was ordered this turn, unless something of it was refused.
    orders: Option<Orders>,
    /// The own pen's cells, and whether a sheep stood there when the cell was last in sight.
    pen: Vec<(Spot, bool)>,
    /// Sheep in the own pen, as last reported.
    penned_before: Option<u32>,
    /// Whether all of the own pen is in sight.
    in_sight: bool,
    /// Dogs that were disabled when last seen.
    disabled: BTreeMap<DogId, DogAction>,
}

impl Facts {
    /// A match begins, on the map of this name.
    pub fn begins(&mut self, ground: &Ground, seat: Seat, map: Option<&str>) {
        let options: &Options = ground.options();
        let own = |spot: &Spot| ground.land(*spot) == Land::Pen(seat);
        let cells = ground.torus().spots().filter(own);
        self.pen = cells.map(|spot| (spot, false)).collect();
        // A pen that no map has is not watched: it would cost every turn dearly.
        if self.pen.len() > PEN_MAX {
            self.pen.clear();
        }
        self.note(
            "start",
            json!({
                "map": map,
                "player": seat.0 + 1,
                "players": ground.tiles().len(),
                "cols": ground.torus().cols(),
                "rows": ground.torus().rows(),
                "sheep": ground.sheep_of_tile(),
                "penned": ground.penned_of_tile(),
                "options": options,
            }),
        );
    }

    /// A turn begins.
    pub fn sees(&mut self, view: &Arc<View>) {
        self.barks(view);
        self.fright(view);
        self.looks_into_the_pen(view);
        self.view = Some(Arc::clone(view));
        self.orders = None;
    }

    /// What the player ordered.
    pub fn ordered(&mut self, orders: &Orders) {
        let Some(view) = &self.view else { return };
        self.orders = Some(orders.clone());
        let barks: Vec<DogId> = orders
            .iter()
            .filter_map(|command| match command {
                Command::Bark(dog) => Some(*dog),
                Command::Move(..) => None,
            })
            .collect();
        if !barks.is_empty() {
            let turn = view.turn;
            self.note("own_bark", json!({"turn": turn, "dogs": barks}));
        }
    }

    /// A command was refused.
    pub fn warned(&mut self, dog: Option<u64>, why: &str) {
        let turn = self.view.as_ref().map(|view| view.turn);
        self.orders = None;
        self.note(
            "warning",
            json!({"turn": turn, "dog": dog, "text": cut(why)}),
        );
    }

    /// The match has ended as it should: the own score after its last turn, if that can be known. Without a
    /// winner (`won`) nobody has more than -10 points.
    pub fn ended(&mut self, won: bool) {
        let Some(view) = self.view.clone() else {
            return;
        };
        let penned = match &self.orders {
            _ if !won => Some(0),
            Some(orders) => penned_after(&view, orders),
            None => None,
        };
        if let Some(penned) = penned {
            self.note(
                "score",
                json!({
                    "turn": view.turn,
                    "points": points(&view, penned),
                    "penned": penned,
                    "all_in_sight": self.in_sight,
                    "final": true,
                }),
            );
        }
    }

    /// A message does not agree with the rules or with earlier messages, and is not folded.
    pub fn unsound(&mut self, what: &str, why: &str) {
        self.note("unsound", json!({"what": what, "why": cut(why)}));
    }

    /// Adds a fact.
    pub fn note(&mut self, kind: &str, data: Value) {
        if self.found.len() < UNFETCHED_MAX {
            self.found.push(Fact::new(kind, data));
        }
    }

    /// Hands over what was found.
    pub fn take(&mut self) -> Vec<Fact> {
        std::mem::take(&mut self.found)
    }

    /// The turn at hand, for its player's eyes.
    #[must_use]
    pub fn view(&self) -> Value {
        let Some(view) = &self.view else {
            return Value::Null;
        };
        let penned = self.penned_before.unwrap_or(0);
        let seen: Vec<Value> = view.seen.iter().map(show).collect();
        json!({
            "turn": view.turn,
            "player": view.seat.0 + 1,
            "players": view.ground.tiles().len(),
            "landscape": view.ground.rows().collect::<Vec<_>>(),
            "options": view.ground.options(),
            "penned": penned,
            "score": {"points": points(view, penned), "all_in_sight": self.in_sight},
            "objects": seen,
        })
    }

    /// Sheep in the own pen and the own points, as far as they were last seen.
    #[must_use]
    pub fn standing(&self) -> (Option<u32>, Option<f64>) {
        let view = self.view.as_ref();
        let of = |penned| view.map(|view| points(view, penned));
        (self.penned_before, self.penned_before.and_then(of))
    }

    /// Barks of others last turn, where the barkers stand now.
    fn barks(&mut self, view: &View) {
        let received: Vec<Value> = view
            .seen
            .iter()
            .filter_map(|seen| match seen {
                Seen::Dog(dog) if dog.voice && dog.owner != view.seat => {
                    Some(json!({"by": dog.owner.0 + 1, "x": dog.spot.x, "y": dog.spot.y}))
                }
                Seen::Voice(spot) => Some(json!({"by": null, "x": spot.x, "y": spot.y})),
                _ => None,
            })
            .collect();
        if !received.is_empty() {
            self.note(
                "bark",
                json!({"turn": view.turn.saturating_sub(1), "heard": received}),
            );
        }
    }

    /// Dogs that came out of order.
    fn fright(&mut self, view: &View) {
        for seen in &view.seen {
            let Seen::Dog(dog) = seen else {
                continue;
            };
            let before = match dog.action {
                DogAction::Move => {
                    self.disabled.remove(&dog.id);
                    continue;
                }
                kind => self.disabled.insert(dog.id, kind),
            };
            if before != Some(dog.action) {
                self.note(
                    "disabled",
                    json!({
                        "turn": view.turn,
                        "player": dog.owner.0 + 1,
                        "own": dog.owner == view.seat,
                        "dog": dog.id,
                        "how": dog.action.word(),
                    }),
                );
            }
        }
    }

    /// Cells out of sight keep what was last seen there: calm sheep stay in a pen.
    fn looks_into_the_pen(&mut self, view: &View) {
        let ground = &view.ground;
        let radius = ground.options().get(Key::DogVisibilityR);
        let (mut dogs, mut sheep) = (Vec::new(), BTreeSet::new());
        for seen in &view.seen {
            match seen {
                Seen::Dog(dog) if dog.owner == view.seat => {
                    if dogs.len() < WATCHERS_MAX {
                        dogs.push(dog.spot);
                    }
                }
                Seen::Sheep(seen) => drop(sheep.insert((seen.spot.x, seen.spot.y))),
                Seen::Dog(_) | Seen::Voice(_) => {}
            }
        }
        self.in_sight = true;
        for (cell, held) in &mut self.pen {
            let near = |dog: &Spot| ground.torus().within(*dog, *cell, radius);
            if dogs.iter().any(near) {
                *held = sheep.contains(&(cell.x, cell.y));
            } else {
                self.in_sight = false;
            }
        }
        let penned = self.pen.iter().filter(|(_, held)| *held).count();
        self.report(view, u32::try_from(penned).unwrap_or(u32::MAX));
    }

    fn report(&mut self, view: &View, penned: u32) {
        let (before, in_sight) = (self.penned_before.replace(penned), self.in_sight);
        if before == Some(penned) {
            return;
        }
        if let Some(before) = before {
            let kind = if penned > before {
                "sheep_won"
            } else {
                "sheep_lost"
            };
            let count = penned.abs_diff(before);
            self.note(
                kind,
                json!({"turn": view.turn, "count": count, "all_in_sight": in_sight}),
            );
        }
        self.note(
            "score",
            json!({
                "turn": view.turn,
                "points": points(view, penned),
                "penned": penned,
                "all_in_sight": in_sight,
            }),
        );
    }
}

/// The own score in points, to two places.
fn points(view: &View, penned: u32) -> f64 {
    (view.ground.score(penned) * 100.0).round() / 100.0
}

fn show(seen: &Seen) -> Value {
    let spot = seen.spot();
    match seen {
        Seen::Dog(dog) => json!({
            "type": "dog",
            "dog": dog.id,
            "x": spot.x,
            "y": spot.y,
            "player": dog.owner.0 + 1,
            "action": dog.action.word(),
            "barked": dog.voice,
        }),
        Seen::Sheep(sheep) => json!({
            "type": "sheep",
            "x": spot.x,
            "y": spot.y,
            "action": sheep.action.word(),
            "direction": sheep.direction.word(),
        }),
        Seen::Voice(_) => json!({"type": "bark", "x": spot.x, "y": spot.y}),
    }
}

fn cut(text: &str) -> String {
    text.chars().take(TEXT_MAX).collect()
}

/// What a seat's fact is among those of the others: a dog's player knows exactly what it does.
pub(super) fn sighting(fact: &Fact, _: Seat) -> Sighting {
    let is = |name: &str| fact.data[name] == true;
    match fact.kind.as_str() {
        "start" => Sighting::shared(fact, &[]).apart(&["player"]),
        "result" => Sighting::shared(fact, &[]).known(is("won")),
        "bark" => Sighting::Echo,
        "disabled" if !is("own") => Sighting::Echo,
        _ => Sighting::Own,
    }
}
