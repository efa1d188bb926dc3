//! The picture of a state: the four players around the table, clockwise from the lower left, what lies on it, and
//! below it what the signs mean.

use super::drawings::drawing;
use super::pieces::{backs, herd, notes};
use super::plan::{LARGE, NAME_CHARS, NARROW, PANEL, Plan, TEXT, WIDE};
use super::state::{Player, State};
use super::table::Tabletop;
use crate::cards::Animal;
use drover_game::scene::{Anchor, Names, Picture, Svg};
use serde_json::Value;

/// Height of the legend's.
const LEGEND: f64 = 12.0;
/// Who may not trade is called so.
const BARRED: &str = "barred";
/// Height of the letters below a player's points.
const UNIT: f64 = 11.0;

/// Draws a state, if it is one.
#[must_use]
pub fn draw(state: &Value, names: &Names) -> Option<Picture> {
    drawn(&WIDE, state, names)
}

/// The same for a phone.
#[must_use]
pub fn draw_narrow(state: &Value, names: &Names) -> Option<Picture> {
    drawn(&NARROW, state, names)
}

fn drawn(plan: &Plan, state: &Value, names: &Names) -> Option<Picture> {
    let state = State::read(state)?;
    let board = Board {
        plan,
        state: &state,
        names,
    };
    let mut still = Svg::new();
    still.rect("s-board", (0.0, 0.0), plan.size, 8.0);
    for corner in plan.corners {
        still.rect("s-fill", corner, PANEL, 6.0);
    }
    legend(&mut still, plan);
    let mut svg = Svg::titled(&board.summary());
    let below = plan.below_legend();
    svg.text("s-muted", below, LEGEND, Anchor::Start, board.signs());
    for (place, shown) in state.players.iter().enumerate() {
        board.panel(&mut svg, place, shown);
    }
    let table = Tabletop {
        plan,
        state: &state,
        names,
    };
    table.lay(&mut svg);
    Some(Picture {
        width: plan.size.0 as u32,
        height: plan.size.1 as u32,
        still: still.finish(),
        moving: svg.finish(),
    })
}

/// The animals with what four of a kind count.
fn legend(svg: &mut Svg, plan: &Plan) {
    for (at, animal) in Animal::all().enumerate() {
        let (x, y) = plan.legend_at(at);
        svg.drawing("s-text", (x, y), 16.0, drawing(animal));
        let words = format!("{} {}", animal.name(), animal.value());
        let base = (x + 18.0, y + 12.5);
        svg.text("s-muted", base, LEGEND - 1.0, Anchor::Start, words);
    }
}

/// What a player's money is worth, as far as known.
fn cash(shown: &Player) -> String {
    let (low, high) = (shown.cash.low, shown.cash.high);
    match low == high {
        true => format!("Money {low}"),
        false => format!("Money {low}–{high}"),
    }
}

/// A state, who its players are, and where they are drawn.
struct Board<'a> {
    plan: &'a Plan,
    state: &'a State,
    names: &'a Names,
}

impl Board<'_> {
    fn summary(&self) -> String {
        let scores = self.state.players.iter().enumerate();
        let scores = scores.map(|(place, shown)| format!("{} {}", self.name(place), shown.score));
        format!("Koehandel: {}", scores.collect::<Vec<_>>().join(", "))
    }

    /// What the signs mean that are on the board.
    fn signs(&self) -> String {
        let mut players = self.state.players.iter().enumerate();
        let barred = players.any(|(place, shown)| {
            self.note(place, shown)
                .is_some_and(|(_, note)| note == BARRED)
        });
        let mut signs = vec!["Four of a kind count"];
        signs.extend(self.state.asked.map(|_| "frame: to move"));
        signs.extend(barred.then_some("barred: no trades"));
        signs.join(" · ")
    }

    fn name(&self, place: usize) -> String {
        self.names.short(place, NAME_CHARS)
    }

    fn panel(&self, svg: &mut Svg, place: usize, shown: &Player) {
        let (x, y) = self.plan.corners[place];
        let (class, state) = (self.names.colour(place), self.state);
        let title = format!("{}: {} points", self.names.name(place), shown.score);
        svg.group("", &title, |svg| {
            if state.asked == Some(place) {
                svg.rect("s-line s-text s-bold", (x, y), PANEL, 6.0);
            }
            svg.circle(class, (x + 14.5, y + 16.5), 7.0);
            let at = (x + 27.0, y + 22.0);
            svg.text("s-text s-bold", at, LARGE, Anchor::Start, self.name(place));
            let right = x + PANEL.0 - 8.0;
            let at = (right, y + 17.0);
            svg.text("s-text s-bold", at, LARGE, Anchor::End, shown.score);
            let at = (right, y + 28.0);
            svg.text("s-muted", at, UNIT, Anchor::End, "points");
            match shown.animals.is_empty() {
                true => {
                    let at = (x + 8.0, y + 54.0);
                    svg.text("s-muted", at, TEXT, Anchor::Start, "no animal yet");
                }
                false => herd(svg, (x + 5.0, y + 31.0).into(), class, shown.animals.iter()),
            }
            let money = (x + 8.0, y + 116.0);
            svg.text("s-text", money, TEXT, Anchor::Start, cash(shown));
            if let Some((class, note)) = self.note(place, shown) {
                let at = (right, y + 116.0);
                svg.text(class, at, TEXT - 1.0, Anchor::End, note);
            }
            let held = (x + 6.0, y + 124.0).into();
            match &shown.money {
                Some(money) => notes(svg, held, PANEL.0 - 12.0, money),
                None => backs(svg, held, shown.cards),
            }
        });
    }

    /// What is to be said of a player besides what it has.
    fn note(&self, place: usize, shown: &Player) -> Option<(&'static str, &'static str)> {
        let auction = self.state.auction.as_ref();
        let leads = auction.is_some_and(|auction| auction.leader == Some(place));
        match (shown.caught, shown.barred) {
            (true, _) => Some(("s-warn s-bold", "bluffed")),
            _ if leads => Some(("s-accent s-bold", "★ best bid")),
            (_, true) => Some(("s-muted", BARRED)),
            _ if self.state.asked == Some(place) => Some(("s-text", "to move")),
            _ => None,
        }
    }
}
