//! The picture of a state: the trick on the table, and below it the players with their cards.

use super::state::{Played, Player, State};
use drover_game::scene::{Anchor, Picture, Svg, player};
use serde_json::Value;

const WIDTH: f64 = 400.0;
const MARGIN: f64 = 6.0;
const TABLE: f64 = 118.0;
/// A player's row, and what is between two.
const ROW: f64 = 70.0;
const GAP: f64 = 5.0;
/// A card of a hand, and one on the table.
const SMALL: (f64, f64) = (27.0, 32.0);
const LARGE: (f64, f64) = (38.0, 46.0);
/// Cards of a hand that are shown.
const HAND_MAX: usize = 32;

/// Draws a state, if it is one.
#[must_use]
pub fn draw(state: &Value) -> Option<Picture> {
    let state = State::read(state)?;
    let height = 2.0 * MARGIN + TABLE + state.players.len() as f64 * (ROW + GAP);
    let mut still = Svg::new();
    still.rect("s-board", (0.0, 0.0), (WIDTH, height), 8.0);
    for place in 0..state.players.len() {
        let size = (WIDTH - 2.0 * MARGIN, ROW);
        still.rect("s-fill", (MARGIN, row(place)), size, 6.0);
    }
    let mut svg = Svg::titled(&summary(&state));
    table(&mut svg, &state);
    for (place, shown) in state.players.iter().enumerate() {
        seat(&mut svg, &state, place, shown);
    }
    Some(Picture {
        width: WIDTH as u32,
        height: height as u32,
        still: still.finish(),
        moving: svg.finish(),
    })
}

fn summary(state: &State) -> String {
    let points = state.players.iter().map(|shown| shown.points.to_string());
    let points = points.collect::<Vec<_>>().join(", ");
    format!(
        "Planowanie, deal {} of {}: points {points}",
        state.deal, state.deals
    )
}

/// The upper edge of a player's row.
fn row(place: usize) -> f64 {
    MARGIN + TABLE + place as f64 * (ROW + GAP)
}

fn table(svg: &mut Svg, state: &State) {
    let s = if state.cards == 1 { "" } else { "s" };
    let what = match (state.over, state.loser) {
        (_, Some(loser)) => format!("Player {loser} has lost by a fault"),
        (true, None) => "The game is over".to_owned(),
        (false, None) => format!(
            "Deal {} of {}: {} card{s}",
            state.deal, state.deals, state.cards
        ),
    };
    svg.text(
        "s-text s-bold",
        (MARGIN + 4.0, 22.0),
        14.0,
        Anchor::Start,
        what,
    );
    let trump = format!("{} is trump", suit(state.trump));
    svg.text(
        "s-text",
        (WIDTH - MARGIN - 4.0, 22.0),
        14.0,
        Anchor::End,
        trump,
    );
    let (left, right) = (MARGIN + 4.0, WIDTH / 2.0 + 14.0);
    let label = |svg: &mut Svg, x, text: &str| {
        svg.text("s-muted", (x, 44.0), 13.0, Anchor::Start, text);
    };
    let open = match (state.trick.is_empty(), state.over) {
        (false, _) => "On the table".to_owned(),
        (true, true) => String::new(),
        (true, false) if state.to_play.is_some() => format!("Player {} leads", state.leader),
        (true, false) => format!("Declarations; player {} leads", state.leader),
    };
    label(svg, left, &open);
    on_table(svg, left, &state.trick, None);
    if let Some(last) = &state.last {
        label(svg, right, &format!("Player {} took", last.by));
        on_table(svg, right, &last.cards, Some(last.by));
    }
}

/// Cards of a trick, each with its player's colour; the taker's is marked.
fn on_table(svg: &mut Svg, left: f64, cards: &[Played], taker: Option<u8>) {
    for (at, played) in cards.iter().enumerate() {
        let x = left + 45.0 * at as f64;
        let (middle, top) = (x + LARGE.0 / 2.0, 50.0);
        svg.rect("s-fill", (x, top), LARGE, 4.0);
        if taker == Some(played.by) {
            svg.rect("s-line s-accent s-bold", (x, top), LARGE, 4.0);
        }
        let face = face(&played.card);
        svg.text(
            "s-text s-bold",
            (middle, top + 29.0),
            18.0,
            Anchor::Middle,
            face,
        );
        svg.circle(player(usize::from(played.by)), (middle, 106.0), 8.0);
        svg.text("s-on", (middle, 110.5), 12.0, Anchor::Middle, played.by);
    }
}

fn seat(svg: &mut Svg, state: &State, place: usize, shown: &Player) {
    let (x, y) = (MARGIN, row(place));
    let number = u8::try_from(place).ok();
    let size = (WIDTH - 2.0 * MARGIN, ROW);
    if number.is_some() && state.to_play == number {
        svg.rect("s-line s-accent s-bold", (x, y), size, 6.0);
    }
    svg.circle(player(place), (x + 14.0, y + 14.0), 8.0);
    svg.text("s-on", (x + 14.0, y + 18.5), 12.0, Anchor::Middle, place);
    let name = match number.is_some() && state.own == number {
        true => format!("Player {place} (own)"),
        false => format!("Player {place}"),
    };
    svg.text(
        "s-text s-bold",
        (x + 28.0, y + 19.0),
        14.0,
        Anchor::Start,
        name,
    );
    let (class, tricks) = tricks(shown);
    svg.text(class, (x + 150.0, y + 19.0), 13.0, Anchor::Start, tricks);
    let points = match before(state, place) {
        Some(gained) => format!("{} (+{gained})", shown.points),
        None => shown.points.to_string(),
    };
    let at = (x + size.0 - 8.0, y + 19.0);
    svg.text("s-text s-bold", at, 14.0, Anchor::End, points);
    match &shown.hand {
        Some(hand) => cards(svg, x + 8.0, y + 30.0, hand),
        None => {
            let s = if shown.held == 1 { "" } else { "s" };
            let held = format!("{} hidden card{s}", shown.held);
            svg.text("s-muted", (x + 10.0, y + 50.0), 13.0, Anchor::Start, held);
        }
    }
}

/// What the deal before gave a player, until the first trick of this one is taken.
fn before(state: &State, place: usize) -> Option<i64> {
    let fresh = state.players.iter().all(|shown| shown.taken == 0) || state.over;
    let result = state.before.as_ref()?.get(place)?;
    fresh.then_some(result.points)
}

/// Tricks taken of those declared, and how that stands.
fn tricks(shown: &Player) -> (&'static str, String) {
    let taken = shown.taken;
    match shown.declared {
        None if taken == 0 => ("s-muted", "declares …".to_owned()),
        None => ("s-text", format!("took {taken}")),
        Some(declared) => {
            let class = match taken.cmp(&declared) {
                std::cmp::Ordering::Less => "s-text",
                std::cmp::Ordering::Equal => "s-accent s-bold",
                std::cmp::Ordering::Greater => "s-warn s-bold",
            };
            (class, format!("took {taken} of {declared} declared"))
        }
    }
}

fn cards(svg: &mut Svg, left: f64, top: f64, hand: &[String]) {
    let room = WIDTH - 2.0 * MARGIN - 16.0;
    let count = hand.len().min(HAND_MAX);
    let step = ((room - SMALL.0) / (count.max(2) - 1) as f64).min(SMALL.0 + 2.0);
    for (at, card) in hand.iter().take(HAND_MAX).enumerate() {
        let x = left + step * at as f64;
        svg.rect("s-board", (x, top), SMALL, 3.0);
        let middle = (x + SMALL.0 / 2.0, top + 21.0);
        svg.text("s-text", middle, 13.0, Anchor::Middle, face(card));
    }
}

/// A card's text, its suit as a sign where it is one of the usual four.
fn face(card: &str) -> String {
    let mut letters = card.chars();
    let last = letters.next_back().map(suit);
    letters.chain(last).collect()
}

fn suit(letter: char) -> char {
    match letter {
        'C' => '♣',
        'D' => '♦',
        'H' => '♥',
        'S' => '♠',
        other => other,
    }
}
