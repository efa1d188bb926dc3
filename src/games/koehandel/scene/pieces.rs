//! What is drawn of a match: animals, coins and cards.

use super::drawings::drawing;
use super::state::Stake;
use crate::cards::{Animal, Note};
use drover_game::scene::{Anchor, Point, Size, Svg};
use std::fmt::Display;

/// The room of a herd in a panel: two rows of this height.
const HERD: (f64, f64) = (182.0, 33.0);
/// Kinds of animals in a row: a few stand larger.
const COLUMNS_FEW: usize = 4;
const COLUMNS_MANY: usize = 5;
/// What the kinds of coins of a bid or a payment may take of it.
const STAKED: f64 = 146.0;
/// From one kind of coin to the next, where there is room.
const COINS: f64 = 30.0;

/// A player's animals with how many it has of each, in two rows; four of a kind in the player's colour.
pub(super) fn herd<'a>(
    svg: &mut Svg,
    at: Point,
    class: &str,
    animals: impl ExactSizeIterator<Item = (&'a Animal, &'a u8)>,
) {
    let columns = match animals.len() {
        few if few <= 2 * COLUMNS_FEW => COLUMNS_FEW,
        _ => COLUMNS_MANY,
    };
    let width = HERD.0 / columns as f64;
    let side = (width - 12.0).min(HERD.1 - 3.0);
    for (place, (animal, count)) in animals.enumerate() {
        let (column, row) = (place % columns, place / columns);
        let x = at.x + width * column as f64;
        let y = at.y + HERD.1 * row as f64;
        let whole = *count >= 4;
        let text = if whole {
            "s-on s-bold"
        } else {
            "s-text s-bold"
        };
        if whole {
            svg.rect(class, (x, y), (width - 1.0, HERD.1 - 1.0), 4.0);
        }
        let top = y + (HERD.1 - 1.0 - side) / 2.0;
        svg.drawing(text, (x + 0.5, top), side, drawing(*animal));
        let base = (x + width - 2.0, y + 25.0);
        svg.text(text, base, 14.0, Anchor::End, count);
    }
}

/// Money by kind: what one is worth, and how many.
pub(super) fn notes(svg: &mut Svg, at: Point, width: f64, money: &str) {
    let mut x = at.x;
    let kinds = Note::ALL
        .into_iter()
        .filter(|note| money.contains(note.letter()));
    let step = (width / kinds.count().max(1) as f64).min(COINS);
    for note in Note::ALL.into_iter().rev() {
        let count = money
            .chars()
            .filter(|letter| *letter == note.letter())
            .count();
        if count > 0 {
            note_cards(svg, (x, at.y).into(), Some(note.value()), count);
            x += step;
        }
    }
}

/// A coin with its value, an empty card for nothing, or the back of a card that is hidden, and how many there are.
fn note_cards(svg: &mut Svg, at: Point, value: Option<u16>, count: impl Display) {
    let middle = at.x + 13.75;
    let (card, size) = ((middle - 11.0, at.y + 4.0), (22.0, 17.0));
    let (class, sign) = match value {
        Some(0) => {
            svg.rect("s-board", card, size, 3.0);
            ("s-muted", "0".to_owned())
        }
        Some(value) => {
            svg.circle("s-coin", (middle, at.y + 12.5), 12.5);
            ("s-ink", value.to_string())
        }
        None => {
            svg.rect("s-neutral", card, size, 3.0);
            ("s-on s-bold", "?".to_owned())
        }
    };
    svg.text(class, (middle, at.y + 17.0), 12.0, Anchor::Middle, sign);
    let count = format_args!("×{count}");
    svg.text("s-text", (middle, at.y + 38.0), 12.5, Anchor::Middle, count);
}

/// Money that the viewer does not see.
pub(super) fn backs(svg: &mut Svg, at: Point, cards: u8) {
    note_cards(svg, at, None, cards);
}

/// An animal's card of this size with its name and what four of it count.
pub(super) fn card(svg: &mut Svg, at: Point, size: Size, animal: Animal, count: u8) {
    let Size { width, height } = size;
    svg.rect("s-fill", at, size, 6.0);
    let side = height * 0.52;
    let corner = (at.x + (width - side) / 2.0, at.y + height * 0.06);
    svg.drawing("s-text", corner, side, drawing(animal));
    let middle = at.x + width / 2.0;
    let name = match count {
        2 => format!("2 × {}", animal.name()),
        _ => animal.name().to_owned(),
    };
    let letters = (height * 0.12).max(12.0);
    let base = (middle, at.y + height * 0.75);
    svg.text("s-text s-bold", base, letters, Anchor::Middle, name);
    let base = (middle, at.y + height * 0.92);
    svg.text("s-muted", base, letters, Anchor::Middle, animal.value());
}

/// Cards of a bid or a payment.
pub(super) fn staked(svg: &mut Svg, at: Point, stake: &Stake) {
    if stake.cards == 0 {
        let none = (at.x, at.y + 18.0);
        return svg.text("s-muted", none, 14.0, Anchor::Start, "no card");
    }
    match &stake.money {
        Some(money) => notes(svg, at, STAKED, money),
        None => backs(svg, at, stake.cards),
    }
}

/// What the cards of a bid or a payment are worth in all, where they are known.
pub(super) fn worth(stake: &Stake) -> Option<u16> {
    let money = stake.money.as_ref()?.chars();
    let values = money.filter_map(Note::from_letter).map(Note::value);
    (stake.cards > 0).then(|| values.fold(0, u16::saturating_add))
}
