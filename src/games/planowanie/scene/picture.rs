//! The picture of a state: the players with their cards, and the trick on the table, on a phone above them and in a window
//! next to them.

use super::face::{is_red, parts, suit};
use super::state::{Played, Player, State};
use drover_game::scene::{Anchor, Names, Picture, Point, Size, Svg};
use drover_game::text::counted;
use serde_json::Value;

const MARGIN: f64 = 6.0;
/// Between two players' rows.
const GAP: f64 = 5.0;
/// The line below them.
const KEY: f64 = 18.0;
/// A card of a hand, and one on the table.
const SMALL: (f64, f64) = (27.0, 39.0);
const LARGE: (f64, f64) = (38.0, 52.0);
/// Letters of a name, and of one with a note after it.
const NAME_CHARS: usize = 15;
const OWN_CHARS: usize = 9;
/// Cards of a hand that are shown.
const HAND_MAX: usize = 32;
/// Players whose cards are large in a window.
const LARGE_MAX: usize = 3;

/// Where things are drawn.
struct Plan {
    width: f64,
    /// The upper edge of the first player's row, and the size of each.
    top: f64,
    row: Size,
    /// A card of a hand.
    card: Size,
    /// Where the trick on the table and the last one begin, with their words.
    open: Point,
    last: Point,
}

impl Plan {
    /// For a window: tricks on the right, one below the other.
    fn wide(players: usize) -> Self {
        let (height, card) = match players {
            0..=LARGE_MAX => (90.0, LARGE),
            _ => (76.0, SMALL),
        };
        Self {
            width: 570.0,
            top: MARGIN + 24.0,
            row: (370.0, height).into(),
            card: card.into(),
            open: (386.0, 44.0).into(),
            last: (386.0, 138.0).into(),
        }
    }

    /// For a phone: tricks above the players, one next to the other.
    fn narrow() -> Self {
        Self {
            width: 400.0,
            top: MARGIN + 124.0,
            row: (388.0, 76.0).into(),
            card: SMALL.into(),
            open: (MARGIN + 4.0, 44.0).into(),
            last: (214.0, 44.0).into(),
        }
    }

    /// The upper edge of a player's row.
    fn row(&self, place: usize) -> f64 {
        self.top + place as f64 * (self.row.height + GAP)
    }
}

/// Draws a state, if it is one.
#[must_use]
pub fn draw(state: &Value, names: &Names) -> Option<Picture> {
    let state = State::read(state)?;
    let plan = Plan::wide(state.players.len());
    Some(drawn(&state, names, &plan))
}

/// The same for a phone.
#[must_use]
pub fn draw_narrow(state: &Value, names: &Names) -> Option<Picture> {
    let state = State::read(state)?;
    Some(drawn(&state, names, &Plan::narrow()))
}

fn drawn(state: &State, names: &Names, plan: &Plan) -> Picture {
    let board = Board { state, names, plan };
    let height = plan.row(state.players.len()) + KEY;
    let mut still = Svg::new();
    still.rect("s-board", (0.0, 0.0), (plan.width, height), 8.0);
    for place in 0..state.players.len() {
        still.rect("s-fill", (MARGIN, plan.row(place)), plan.row, 6.0);
    }
    let at = (MARGIN + 4.0, height - 6.0);
    still.text("s-muted", at, 12.0, Anchor::Start, "frame: to move");
    let mut svg = Svg::titled(&board.summary());
    board.table(&mut svg);
    for (place, shown) in state.players.iter().enumerate() {
        board.seat(&mut svg, place, shown);
    }
    Picture {
        width: plan.width as u32,
        height: height as u32,
        still: still.finish(),
        moving: svg.finish(),
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
            (class, format!("declared {declared}, took {taken}"))
        }
    }
}

/// Cards next to each other in this room.
fn cards(svg: &mut Svg, at: Point, room: f64, size: Size, hand: &[String]) {
    let count = hand.len().min(HAND_MAX);
    let step = ((room - size.width) / (count.max(2) - 1) as f64).min(size.width + 2.0);
    for (number, card) in hand.iter().take(HAND_MAX).enumerate() {
        let at = (at.x + step * number as f64, at.y).into();
        card_at(svg, at, size, card);
    }
}

/// A card: its value above its suit, hearts and diamonds in red.
fn card_at(svg: &mut Svg, at: Point, size: Size, card: &str) {
    svg.rect("s-face", at, size, 4.0);
    let Size { width, height } = size;
    let (value, suit) = parts(card);
    let red = suit.is_some_and(is_red);
    let class = if red {
        "s-red s-ink s-bold"
    } else {
        "s-ink s-bold"
    };
    let (middle, letters) = (at.x + width / 2.0, height * 0.38);
    let value_at = (middle, at.y + height * 0.43);
    svg.text(class, value_at, letters, Anchor::Middle, value);
    if let Some(suit) = suit {
        let suit_at = (middle, at.y + height * 0.86);
        svg.text(class, suit_at, letters * 1.1, Anchor::Middle, suit);
    }
}

/// A state, and who its players are.
struct Board<'a> {
    state: &'a State,
    names: &'a Names,
    plan: &'a Plan,
}

impl Board<'_> {
    fn summary(&self) -> String {
        let State { deal, deals, .. } = self.state;
        let points = self.state.players.iter().enumerate();
        let points = points.map(|(place, shown)| format!("{} {}", self.name(place), shown.points));
        let points = points.collect::<Vec<_>>().join(", ");
        format!("Planowanie, deal {deal} of {deals}: {points}")
    }

    fn name(&self, place: usize) -> String {
        self.names.short(place, NAME_CHARS)
    }

    fn table(&self, svg: &mut Svg) {
        let state = self.state;
        let cards = counted(state.cards, "card");
        let what = match (state.over, state.loser) {
            (_, Some(loser)) => format!("{} has lost by a fault", self.name(loser.into())),
            (true, None) => "The game is over".to_owned(),
            (false, None) => format!("Deal {} of {}: {cards} each", state.deal, state.deals),
        };
        let at = (MARGIN + 4.0, 22.0);
        svg.text("s-text s-bold", at, 14.0, Anchor::Start, what);
        let trump = suit(state.trump);
        let class = if is_red(trump) { "s-red" } else { "s-text" };
        let at = (self.plan.width - MARGIN - 4.0, 22.0);
        svg.text(class, at, 14.0, Anchor::End, format!("{trump} is trump"));
        let label = |svg: &mut Svg, at: Point, text: &str| {
            svg.text("s-muted", at, 13.0, Anchor::Start, text);
        };
        let leader = self.name(state.leader.into());
        let open = match (state.trick.is_empty(), state.over) {
            (false, _) => "On the table".to_owned(),
            (true, true) => String::new(),
            // While all declare, the players' rows say so.
            (true, false) => format!("{leader} leads"),
        };
        let at = self.plan.open;
        label(svg, at, &open);
        self.on_table(svg, at, &state.trick, None);
        if let Some(last) = &state.last {
            let at = self.plan.last;
            label(svg, at, &format!("{} took", self.name(last.by.into())));
            self.on_table(svg, at, &last.cards, Some(last.by));
        }
    }

    /// Cards of a trick below its words, each with its player's colour and seat; the taker's has a frame of its colour.
    fn on_table(&self, svg: &mut Svg, words: Point, cards: &[Played], taker: Option<u8>) {
        for (at, played) in cards.iter().enumerate() {
            let (x, top) = (words.x + 45.0 * at as f64, words.y + 6.0);
            card_at(svg, (x, top).into(), LARGE.into(), &played.card);
            if taker == Some(played.by) {
                let colour = self.names.colour(played.by.into());
                svg.rect(&format!("s-line {colour} s-bold"), (x, top), LARGE, 4.0);
            }
            self.mark(
                svg,
                (x + LARGE.0 / 2.0, top + 62.0).into(),
                played.by.into(),
            );
        }
    }

    /// A player's colour with its seat on it.
    fn mark(&self, svg: &mut Svg, at: Point, place: usize) {
        svg.circle(self.names.colour(place), at, 9.0);
        let (number, base) = (self.names.seat(place) + 1, (at.x, at.y + 4.5));
        svg.text("s-on s-bold", base, 12.0, Anchor::Middle, number);
    }

    fn seat(&self, svg: &mut Svg, place: usize, shown: &Player) {
        let (x, y, state) = (MARGIN, self.plan.row(place), self.state);
        let number = u8::try_from(place).ok();
        let size = self.plan.row;
        if number.is_some() && state.to_play == number {
            svg.rect("s-line s-text s-bold", (x, y), size, 6.0);
        }
        self.mark(svg, (x + 14.0, y + 15.0).into(), place);
        let name = match number.is_some() && state.own == number {
            true => format!("{} (own)", self.names.short(place, OWN_CHARS)),
            false => self.name(place),
        };
        let at = (x + 29.0, y + 19.5);
        svg.text("s-text s-bold", at, 14.0, Anchor::Start, name);
        let (class, tricks) = tricks(shown);
        svg.text(class, (x + 165.0, y + 19.5), 12.0, Anchor::Start, tricks);
        let points = match before(state, place) {
            Some(gained) => format!("{} (+{gained})", shown.points),
            None => shown.points.to_string(),
        };
        let at = (x + size.width - 8.0, y + 19.5);
        svg.text("s-text s-bold", at, 14.0, Anchor::End, points);
        match &shown.hand {
            Some(hand) => {
                let at = (x + 8.0, y + 31.0).into();
                cards(svg, at, size.width - 16.0, self.plan.card, hand);
            }
            None => {
                let held = counted(shown.held, "hidden card");
                svg.text("s-muted", (x + 10.0, y + 54.0), 13.0, Anchor::Start, held);
            }
        }
    }
}
