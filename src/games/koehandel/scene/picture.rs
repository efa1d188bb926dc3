//! The picture of a state: the four players around the table, clockwise from the lower left, and what lies on it.

use super::state::{Auction, Bid, Player, Settled, Stage, Stake, State, Trade};
use crate::cards::{Animal, Note, PLAYERS};
use drover_game::scene::{Anchor, Picture, Point, Svg, player};
use serde_json::Value;
use std::fmt::Display;

const WIDTH: f64 = 400.0;
const MARGIN: f64 = 6.0;
/// A player's panel.
const PANEL: (f64, f64) = (191.0, 134.0);
/// The table between the panels.
const TABLE: (f64, f64) = (WIDTH - 2.0 * MARGIN, 142.0);
const TABLE_TOP: f64 = 2.0 * MARGIN + PANEL.1;
const HEIGHT: f64 = TABLE_TOP + TABLE.1 + 2.0 * MARGIN + PANEL.1;
/// What the cards of a bid or a payment may take of it.
const STAKED: f64 = 148.0;
/// Bids that are shown, the last ones.
const BIDS_MAX: usize = 6;
/// Payments that are shown: both sides of an exchange.
const PAYMENTS_MAX: usize = 2;

/// Draws a state, if it is one.
#[must_use]
pub fn draw(state: &Value) -> Option<Picture> {
    let state = State::read(state)?;
    let mut still = Svg::new();
    still.rect("s-board", (0.0, 0.0), (WIDTH, HEIGHT), 8.0);
    for place in 0..PLAYERS {
        still.rect("s-fill", corner(place), PANEL, 6.0);
    }
    let mut svg = Svg::titled(&summary(&state));
    for (place, shown) in state.players.iter().enumerate() {
        panel(&mut svg, &state, place, shown);
    }
    table(&mut svg, &state);
    Some(Picture {
        width: WIDTH as u32,
        height: HEIGHT as u32,
        still: still.finish(),
        moving: svg.finish(),
    })
}

fn summary(state: &State) -> String {
    let scores = state.players.iter();
    let scores = scores.map(|shown| format!("{} {}", shown.place, shown.score));
    format!("Koehandel: {}", scores.collect::<Vec<_>>().join(", "))
}

/// The upper left corner of a player's panel.
fn corner(place: usize) -> (f64, f64) {
    let (right, lower) = (matches!(place, 2 | 3), matches!(place, 0 | 3));
    let x = if right {
        WIDTH - MARGIN - PANEL.0
    } else {
        MARGIN
    };
    let y = if lower {
        HEIGHT - MARGIN - PANEL.1
    } else {
        MARGIN
    };
    (x, y)
}

fn panel(svg: &mut Svg, state: &State, place: usize, shown: &Player) {
    let (x, y) = corner(place);
    let title = format!("{}: {} points", shown.place, shown.score);
    svg.group("", &title, |svg| {
        let class = player(place);
        if state.asked == Some(place) {
            svg.rect("s-line s-accent s-bold", (x, y), PANEL, 6.0);
        }
        svg.circle(class, (x + 13.0, y + 14.0), 6.0);
        svg.text(
            "s-text s-bold",
            (x + 24.0, y + 19.0),
            14.0,
            Anchor::Start,
            &shown.place,
        );
        let at = (x + PANEL.0 - 8.0, y + 19.0);
        svg.text("s-text", at, 14.0, Anchor::End, shown.score);
        for (at, (animal, count)) in shown.animals.iter().enumerate() {
            let at = (x + 6.0 + 18.1 * at as f64, y + 27.0).into();
            owned(svg, at, *animal, *count, class);
        }
        let note = match (shown.caught, shown.barred) {
            (true, _) => Some(("s-warn s-bold", "bluffed")),
            (_, true) => Some(("s-muted", "barred")),
            _ if state.turn == Some(place) => Some(("s-accent", "on turn")),
            _ => None,
        };
        let money = (x + 8.0, y + 81.0);
        svg.text("s-text", money, 13.0, Anchor::Start, cash(shown));
        if let Some((class, note)) = note {
            let at = (x + PANEL.0 - 8.0, y + 81.0);
            svg.text(class, at, 12.0, Anchor::End, note);
        }
        let held = (x + 8.0, y + 90.0).into();
        match &shown.money {
            Some(money) => notes(svg, held, PANEL.0 - 14.0, money),
            None => backs(svg, held, shown.cards),
        }
    });
}

/// What a player's money is worth, as far as known.
fn cash(shown: &Player) -> String {
    let (low, high) = (shown.cash.low, shown.cash.high);
    match low == high {
        true => format!("Money {low}"),
        false => format!("Money {low}–{high}"),
    }
}

/// Cards of one animal: a quartet in the owner's colour.
fn owned(svg: &mut Svg, at: Point, animal: Animal, count: u8, class: &str) {
    let whole = count >= 4;
    let (card, text) = if whole {
        (class, "s-on")
    } else {
        ("s-board", "s-text")
    };
    svg.rect(card, at, (16.0, 38.0), 3.0);
    let middle = at.x + 8.0;
    svg.text(
        text,
        (middle, at.y + 16.0),
        13.0,
        Anchor::Middle,
        animal.letter(),
    );
    let lesser = if whole { "s-on" } else { "s-muted" };
    svg.text(lesser, (middle, at.y + 32.0), 12.0, Anchor::Middle, count);
}

/// Money by kind: what one is worth, and how many.
fn notes(svg: &mut Svg, at: Point, width: f64, money: &str) {
    let mut x = at.x;
    let kinds = Note::ALL
        .into_iter()
        .filter(|note| money.contains(note.letter()));
    let step = (width / kinds.count().max(1) as f64).min(29.5);
    for note in Note::ALL.into_iter().rev() {
        let count = money
            .chars()
            .filter(|letter| *letter == note.letter())
            .count();
        if count > 0 {
            note_cards(
                svg,
                (x, at.y).into(),
                note.value(),
                format_args!("×{count}"),
            );
            x += step;
        }
    }
}

fn note_cards(svg: &mut Svg, at: Point, value: impl Display, count: impl Display) {
    svg.rect("s-board", at, (27.5, 37.0), 3.0);
    let middle = at.x + 13.75;
    svg.text("s-text", (middle, at.y + 16.0), 12.0, Anchor::Middle, value);
    svg.text(
        "s-muted",
        (middle, at.y + 31.0),
        12.0,
        Anchor::Middle,
        count,
    );
}

/// Money that the viewer does not see.
fn backs(svg: &mut Svg, at: Point, cards: u8) {
    note_cards(svg, at, "?", format_args!("×{cards}"));
}

fn table(svg: &mut Svg, state: &State) {
    let left = MARGIN + 6.0;
    let s = if state.deck_left == 1 { "" } else { "s" };
    let deck = format!(
        "{} animal{s} left, {} donkeys seen",
        state.deck_left, state.donkeys
    );
    svg.text(
        "s-muted",
        (left, TABLE_TOP + 132.0),
        12.0,
        Anchor::Start,
        deck,
    );
    match (&state.auction, &state.trade, &state.settled) {
        (Some(auction), _, _) => auctioned(svg, state, auction),
        (None, Some(trade), _) => traded(svg, state, trade),
        (None, None, Some(settled)) if state.stage != Stage::Over => found(svg, state, settled),
        _ => heading(
            svg,
            if state.stage == Stage::Over {
                "The match is over"
            } else {
                ""
            },
        ),
    }
    if state.stage == Stage::Over {
        ranking(svg, state);
    }
}

fn heading(svg: &mut Svg, text: &str) {
    let at = (MARGIN + 6.0, TABLE_TOP + 18.0);
    svg.text("s-text s-bold", at, 14.0, Anchor::Start, text);
}

/// The animal on the table, large.
fn big_card(svg: &mut Svg, x: f64, animal: Animal, count: u8) {
    let y = TABLE_TOP + 28.0;
    svg.rect("s-fill", (x, y), (62.0, 84.0), 6.0);
    let letter = animal.letter();
    svg.text(
        "s-text s-bold",
        (x + 31.0, y + 48.0),
        38.0,
        Anchor::Middle,
        letter,
    );
    let worth = match count {
        2 => format!("2 × {}", animal.value()),
        _ => animal.value().to_string(),
    };
    svg.text("s-muted", (x + 31.0, y + 72.0), 13.0, Anchor::Middle, worth);
}

fn auctioned(svg: &mut Svg, state: &State, auction: &Auction) {
    let seller = state.name(auction.seller);
    let what = match state.stage {
        Stage::Buy => "may buy at the highest bid",
        Stage::Pay => "has found a buyer",
        _ => "sells to the highest bidder",
    };
    heading(svg, &format!("{seller} {what}"));
    big_card(svg, MARGIN + 6.0, auction.card, 1);
    let x = MARGIN + 84.0;
    let best = auction.leader.map(|by| (by, auction.price));
    let shown = auction.bids.len().saturating_sub(BIDS_MAX);
    for (at, bid) in auction.bids.iter().skip(shown).enumerate() {
        let row = (x, TABLE_TOP + 40.0 + 15.0 * at as f64).into();
        let is_best = best == Some((bid.by, bid.amount));
        bid_row(svg, state, row, bid, is_best);
    }
    if auction.bids.is_empty() {
        let row = (x, TABLE_TOP + 40.0);
        svg.text("s-muted", row, 13.0, Anchor::Start, "No bid yet");
    }
    if let (Stage::Pay, Some(buyer)) = (state.stage, auction.leader) {
        let text = format!("{} pays {}", state.name(buyer), auction.price);
        let at = (WIDTH - MARGIN - 6.0, TABLE_TOP + 132.0);
        svg.text("s-accent s-bold", at, 13.0, Anchor::End, text);
    }
}

fn bid_row(svg: &mut Svg, state: &State, at: Point, bid: &Bid, best: bool) {
    svg.circle(player(bid.by), (at.x + 5.0, at.y - 4.5), 5.0);
    let name = state.name(bid.by);
    svg.text("s-text", (at.x + 16.0, at.y), 13.0, Anchor::Start, name);
    let amount = (at.x + 130.0, at.y);
    match bid.amount {
        0 => svg.text("s-muted", amount, 13.0, Anchor::End, "passes"),
        bid if best => svg.text("s-accent s-bold", amount, 13.0, Anchor::End, bid),
        bid => svg.text("s-text", amount, 13.0, Anchor::End, bid),
    }
    if bid.bluff == Some(true) {
        let at = (at.x + 140.0, at.y);
        svg.text("s-warn s-bold", at, 13.0, Anchor::Start, "bluff");
    }
}

fn traded(svg: &mut Svg, state: &State, trade: &Trade) {
    let (challenger, target) = (state.name(trade.challenger), state.name(trade.target));
    let again = if trade.tied {
        ": equal bids, once more"
    } else {
        ""
    };
    heading(svg, &format!("{challenger} challenges {target}{again}"));
    big_card(svg, WIDTH / 2.0 - 31.0, trade.animal, trade.count);
    side(
        svg,
        MARGIN + 6.0,
        state,
        trade.challenger,
        trade.offer.as_ref(),
    );
    side(
        svg,
        WIDTH / 2.0 + 40.0,
        state,
        trade.target,
        trade.counter.as_ref(),
    );
}

/// One side of a trade.
fn side(svg: &mut Svg, x: f64, state: &State, who: usize, stake: Option<&Stake>) {
    let row = TABLE_TOP + 42.0;
    svg.circle(player(who), (x + 5.0, row - 4.5), 5.0);
    svg.text(
        "s-text",
        (x + 16.0, row),
        13.0,
        Anchor::Start,
        state.name(who),
    );
    match stake {
        None => svg.text(
            "s-muted",
            (x, row + 20.0),
            13.0,
            Anchor::Start,
            "no bid yet",
        ),
        Some(stake) => staked(svg, (x, row + 8.0).into(), stake),
    }
}

/// Cards of a bid or a payment, and what they are worth in all where they are known.
fn staked(svg: &mut Svg, at: Point, stake: &Stake) {
    let text = (at.x, at.y + 54.0);
    if stake.cards == 0 {
        let none = (at.x, at.y + 14.0);
        return svg.text("s-muted", none, 13.0, Anchor::Start, "no card");
    }
    let Some(money) = &stake.money else {
        return backs(svg, at, stake.cards);
    };
    notes(svg, at, STAKED, money);
    let worth = money.chars().filter_map(Note::from_letter).map(Note::value);
    let worth = worth.fold(0, u16::saturating_add);
    svg.text(
        "s-text",
        text,
        13.0,
        Anchor::Start,
        format_args!("worth {worth}"),
    );
}

/// What was settled last.
fn found(svg: &mut Svg, state: &State, settled: &Settled) {
    let to = state.name(settled.to);
    let text = match (settled.from, settled.price) {
        (Some(from), _) => format!("{to} won the trade with {}", state.name(from)),
        (None, Some(0)) => format!("{to} got it for nothing"),
        (None, Some(price)) => format!("{to} bought it for {price}"),
        (None, None) => format!("{to} bought it"),
    };
    heading(svg, &text);
    big_card(svg, MARGIN + 6.0, settled.animal, settled.count);
    for (at, payment) in settled.payments.iter().take(PAYMENTS_MAX).enumerate() {
        let x = MARGIN + 84.0 + 152.0 * at as f64;
        let (from, to) = (state.name(payment.from), state.name(payment.to));
        let text = format!("{from} pays {to}");
        svg.text("s-text", (x, TABLE_TOP + 42.0), 13.0, Anchor::Start, text);
        staked(svg, (x, TABLE_TOP + 50.0).into(), &payment.stake);
    }
}

fn ranking(svg: &mut Svg, state: &State) {
    let mut order: Vec<usize> = (0..PLAYERS).collect();
    order.sort_by_key(|place| std::cmp::Reverse(state.players[*place].score));
    for (row, place) in order.into_iter().enumerate() {
        let shown = &state.players[place];
        let y = TABLE_TOP + 42.0 + 18.0 * row as f64;
        svg.circle(player(place), (MARGIN + 12.0, y - 4.5), 5.0);
        svg.text(
            "s-text",
            (MARGIN + 24.0, y),
            14.0,
            Anchor::Start,
            &shown.place,
        );
        svg.text(
            "s-text",
            (MARGIN + 170.0, y),
            14.0,
            Anchor::End,
            shown.score,
        );
    }
}
