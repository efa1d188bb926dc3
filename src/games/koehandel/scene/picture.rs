//! The picture of a state: the four players around the table, clockwise from the lower left, what lies on it, and
//! below it what the signs mean.

use super::drawings::drawing;
use super::state::{Auction, Bid, Player, Settled, Stage, Stake, State, Trade};
use crate::cards::{Animal, Note, PLAYERS};
use drover_game::scene::{Anchor, Names, Picture, Point, Svg};
use serde_json::Value;
use std::fmt::Display;

const WIDTH: f64 = 400.0;
const MARGIN: f64 = 6.0;
/// A player's panel.
const PANEL: (f64, f64) = (191.0, 134.0);
/// The table between the panels.
const TABLE: (f64, f64) = (WIDTH - 2.0 * MARGIN, 142.0);
const TABLE_TOP: f64 = 2.0 * MARGIN + PANEL.1;
const LEGEND_TOP: f64 = TABLE_TOP + TABLE.1 + 2.0 * MARGIN + PANEL.1;
const HEIGHT: f64 = LEGEND_TOP + 64.0;
/// Where the columns of the animals' legend begin: each has room for its longest name.
const COLUMNS: [f64; 5] = [8.0, 88.0, 176.0, 241.0, 310.0];
/// Letters of a name in a panel and in a heading, in a list, and where two stand in half the width.
const NAME_CHARS: usize = 15;
const LISTED_CHARS: usize = 12;
const PAIR_CHARS: usize = 9;
/// What the cards of a bid or a payment may take of it.
const STAKED: f64 = 148.0;
/// Bids that are shown, the last ones.
const BIDS_MAX: usize = 6;
/// Payments that are shown: both sides of an exchange.
const PAYMENTS_MAX: usize = 2;

/// Draws a state, if it is one.
#[must_use]
pub fn draw(state: &Value, names: &Names) -> Option<Picture> {
    let state = State::read(state)?;
    let board = Board {
        state: &state,
        names,
    };
    let mut still = Svg::new();
    still.rect("s-board", (0.0, 0.0), (WIDTH, HEIGHT), 8.0);
    for place in 0..PLAYERS {
        still.rect("s-fill", corner(place), PANEL, 6.0);
    }
    legend(&mut still);
    let mut svg = Svg::titled(&board.summary());
    for (place, shown) in state.players.iter().enumerate() {
        board.panel(&mut svg, place, shown);
    }
    board.table(&mut svg);
    Some(Picture {
        width: WIDTH as u32,
        height: HEIGHT as u32,
        still: still.finish(),
        moving: svg.finish(),
    })
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
        LEGEND_TOP - MARGIN - PANEL.1
    } else {
        MARGIN
    };
    (x, y)
}

/// The animals with what four of a kind count, and the marks of players.
fn legend(svg: &mut Svg) {
    for (at, animal) in Animal::all().enumerate() {
        let (column, row) = (at % COLUMNS.len(), at / COLUMNS.len());
        let (x, y) = (COLUMNS[column], LEGEND_TOP + 17.0 * row as f64);
        svg.drawing("s-text", (x, y), 14.0, drawing(animal));
        let words = format!("{} {}", animal.name(), animal.value());
        svg.text("s-muted", (x + 17.0, y + 12.0), 11.0, Anchor::Start, words);
    }
    for (words, below) in [
        ("▶ on turn · ★ best bid · blue frame: must answer now", 45.0),
        (
            "number: four of a kind · barred: starts no more trades",
            59.0,
        ),
    ] {
        let at = (MARGIN + 2.0, LEGEND_TOP + below);
        svg.text("s-muted", at, 11.0, Anchor::Start, words);
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

/// Cards of one animal: a quartet in the owner's colour.
fn owned(svg: &mut Svg, at: Point, animal: Animal, count: u8, class: &str) {
    let whole = count >= 4;
    let text = if whole { "s-on" } else { "s-text" };
    if whole {
        svg.rect(class, at, (16.6, 38.0), 3.0);
    }
    svg.drawing(text, (at.x + 0.8, at.y + 3.0), 15.0, drawing(animal));
    let count_at = (at.x + 8.3, at.y + 33.0);
    svg.text(text, count_at, 13.0, Anchor::Middle, count);
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
    svg.text(class, (middle, at.y + 17.0), 11.5, Anchor::Middle, sign);
    let count = format_args!("×{count}");
    svg.text("s-text", (middle, at.y + 38.0), 12.0, Anchor::Middle, count);
}

/// Money that the viewer does not see.
fn backs(svg: &mut Svg, at: Point, cards: u8) {
    note_cards(svg, at, None, cards);
}

fn heading(svg: &mut Svg, text: &str) {
    let at = (MARGIN + 6.0, TABLE_TOP + 18.0);
    svg.text("s-text s-bold", at, 14.0, Anchor::Start, text);
}

/// The animal on the table, large.
fn big_card(svg: &mut Svg, x: f64, animal: Animal, count: u8) {
    let y = TABLE_TOP + 28.0;
    svg.rect("s-fill", (x, y), (62.0, 84.0), 6.0);
    svg.drawing("s-text", (x + 11.0, y + 4.0), 40.0, drawing(animal));
    let middle = x + 31.0;
    let name = match count {
        2 => format!("2 × {}", animal.name()),
        _ => animal.name().to_owned(),
    };
    svg.text("s-text", (middle, y + 58.0), 12.0, Anchor::Middle, name);
    let value = animal.value();
    svg.text("s-muted", (middle, y + 76.0), 13.0, Anchor::Middle, value);
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
    let words = format_args!("worth {worth}");
    svg.text("s-text", text, 13.0, Anchor::Start, words);
}

/// A state, and who its players are.
struct Board<'a> {
    state: &'a State,
    names: &'a Names,
}

impl Board<'_> {
    fn summary(&self) -> String {
        let scores = self.state.players.iter().enumerate();
        let scores = scores.map(|(place, shown)| format!("{} {}", self.name(place), shown.score));
        format!("Koehandel: {}", scores.collect::<Vec<_>>().join(", "))
    }

    fn name(&self, place: usize) -> String {
        self.names.short(place, NAME_CHARS)
    }

    fn panel(&self, svg: &mut Svg, place: usize, shown: &Player) {
        let (x, y) = corner(place);
        let (class, state) = (self.names.colour(place), self.state);
        let title = format!("{}: {} points", self.names.name(place), shown.score);
        svg.group("", &title, |svg| {
            if state.asked == Some(place) {
                svg.rect("s-line s-accent s-bold", (x, y), PANEL, 6.0);
            }
            if state.turn == Some(place) {
                let [left, right] = [x + 7.0, x + 20.0];
                svg.polygon(
                    class,
                    [(left, y + 7.0), (right, y + 14.0), (left, y + 21.0)],
                );
            } else {
                svg.circle(class, (x + 13.0, y + 14.0), 6.0);
            }
            let at = (x + 24.0, y + 19.0);
            svg.text("s-text s-bold", at, 14.0, Anchor::Start, self.name(place));
            let at = (x + PANEL.0 - 8.0, y + 19.0);
            svg.text("s-text", at, 14.0, Anchor::End, shown.score);
            for (at, (animal, count)) in shown.animals.iter().enumerate() {
                let at = (x + 5.0 + 18.2 * at as f64, y + 27.0).into();
                owned(svg, at, *animal, *count, class);
            }
            let money = (x + 8.0, y + 81.0);
            svg.text("s-text", money, 13.0, Anchor::Start, cash(shown));
            if let Some((class, note)) = self.note(place, shown) {
                let at = (x + PANEL.0 - 8.0, y + 81.0);
                svg.text(class, at, 12.5, Anchor::End, note);
            }
            let held = (x + 8.0, y + 90.0).into();
            match &shown.money {
                Some(money) => notes(svg, held, PANEL.0 - 14.0, money),
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
            (_, true) => Some(("s-muted", "barred")),
            _ if self.state.turn == Some(place) => Some(("s-text", "on turn")),
            _ => None,
        }
    }

    fn table(&self, svg: &mut Svg) {
        let state = self.state;
        let left = MARGIN + 6.0;
        let [animals, donkeys] =
            [state.deck_left, state.donkeys].map(|count| if count == 1 { "" } else { "s" });
        let deck = format!(
            "{} animal{animals} left, {} donkey{donkeys} seen",
            state.deck_left, state.donkeys
        );
        let at = (left, TABLE_TOP + 132.0);
        svg.text("s-muted", at, 12.5, Anchor::Start, deck);
        match (&state.auction, &state.trade, &state.settled) {
            (Some(auction), _, _) => self.auctioned(svg, auction),
            (None, Some(trade), _) => self.traded(svg, trade),
            (None, None, Some(settled)) if state.stage != Stage::Over => self.found(svg, settled),
            _ if state.stage == Stage::Over => heading(svg, "The match is over"),
            _ => {}
        }
        if state.stage == Stage::Over {
            self.ranking(svg);
        }
    }

    fn auctioned(&self, svg: &mut Svg, auction: &Auction) {
        let stage = self.state.stage;
        let what = match stage {
            Stage::Buy => "may buy at the best bid",
            Stage::Pay => "has found a buyer",
            _ => "sells to the highest bidder",
        };
        heading(svg, &format!("{} {what}", self.name(auction.seller)));
        big_card(svg, MARGIN + 6.0, auction.card, 1);
        let x = MARGIN + 84.0;
        let best = auction.leader.map(|by| (by, auction.price));
        let shown = auction.bids.len().saturating_sub(BIDS_MAX);
        for (at, bid) in auction.bids.iter().skip(shown).enumerate() {
            let row = (x, TABLE_TOP + 40.0 + 15.0 * at as f64).into();
            self.bid_row(svg, row, bid, best == Some((bid.by, bid.amount)));
        }
        if auction.bids.is_empty() {
            let row = (x, TABLE_TOP + 40.0);
            svg.text("s-muted", row, 13.0, Anchor::Start, "No bid yet");
        }
        if let (Stage::Pay, Some(buyer)) = (stage, auction.leader) {
            let text = format!("{} pays {}", self.name(buyer), auction.price);
            let at = (WIDTH - MARGIN - 6.0, TABLE_TOP + 132.0);
            svg.text("s-accent s-bold", at, 13.0, Anchor::End, text);
        }
    }

    fn bid_row(&self, svg: &mut Svg, at: Point, bid: &Bid, best: bool) {
        self.whose(svg, at, bid.by);
        let amount = (at.x + 150.0, at.y);
        match bid.amount {
            0 => svg.text("s-muted", amount, 13.0, Anchor::End, "passes"),
            bid if best => svg.text("s-accent s-bold", amount, 13.0, Anchor::End, bid),
            bid => svg.text("s-text", amount, 13.0, Anchor::End, bid),
        }
        let (class, note) = match bid.bluff {
            Some(true) => ("s-warn s-bold", "bluff"),
            _ if best => ("s-accent s-bold", "★"),
            _ => return,
        };
        svg.text(class, (at.x + 158.0, at.y), 13.0, Anchor::Start, note);
    }

    /// A player's colour and name at the head of a line.
    fn whose(&self, svg: &mut Svg, at: Point, place: usize) {
        svg.circle(self.names.colour(place), (at.x + 5.0, at.y - 4.5), 5.0);
        let name = self.names.short(place, LISTED_CHARS);
        svg.text("s-text", (at.x + 16.0, at.y), 13.0, Anchor::Start, name);
    }

    fn traded(&self, svg: &mut Svg, trade: &Trade) {
        let (challenger, target) = (self.name(trade.challenger), self.name(trade.target));
        let text = match trade.tied {
            true => format!("Equal bids: {challenger} and {target} again"),
            false => format!("{challenger} challenges {target}"),
        };
        heading(svg, &text);
        big_card(svg, WIDTH / 2.0 - 31.0, trade.animal, trade.count);
        self.side(svg, MARGIN + 6.0, trade.challenger, trade.offer.as_ref());
        let right = WIDTH / 2.0 + 40.0;
        self.side(svg, right, trade.target, trade.counter.as_ref());
    }

    /// One side of a trade.
    fn side(&self, svg: &mut Svg, x: f64, who: usize, stake: Option<&Stake>) {
        let row = TABLE_TOP + 42.0;
        self.whose(svg, (x, row).into(), who);
        match stake {
            None => {
                let at = (x, row + 20.0);
                svg.text("s-muted", at, 13.0, Anchor::Start, "no bid yet");
            }
            Some(stake) => staked(svg, (x, row + 8.0).into(), stake),
        }
    }

    /// What was settled last.
    fn found(&self, svg: &mut Svg, settled: &Settled) {
        let to = self.name(settled.to);
        let animal = settled.animal.name();
        let text = match (settled.from, settled.price) {
            (Some(from), _) => format!("{to} won the trade with {}", self.name(from)),
            (None, Some(0)) => format!("{to} got the {animal} for nothing"),
            (None, Some(price)) => format!("{to} bought the {animal} for {price}"),
            (None, None) => format!("{to} bought the {animal}"),
        };
        heading(svg, &text);
        big_card(svg, MARGIN + 6.0, settled.animal, settled.count);
        for (at, payment) in settled.payments.iter().take(PAYMENTS_MAX).enumerate() {
            let x = MARGIN + 84.0 + 152.0 * at as f64;
            let [from, to] =
                [payment.from, payment.to].map(|place| self.names.short(place, PAIR_CHARS));
            let text = format!("{from} pays {to}");
            svg.text("s-text", (x, TABLE_TOP + 42.0), 13.0, Anchor::Start, text);
            staked(svg, (x, TABLE_TOP + 50.0).into(), &payment.stake);
        }
    }

    fn ranking(&self, svg: &mut Svg) {
        let mut order: Vec<usize> = (0..PLAYERS).collect();
        order.sort_by_key(|place| std::cmp::Reverse(self.state.players[*place].score));
        for (row, place) in order.into_iter().enumerate() {
            let y = TABLE_TOP + 42.0 + 18.0 * row as f64;
            svg.circle(self.names.colour(place), (MARGIN + 12.0, y - 4.5), 5.0);
            let at = (MARGIN + 24.0, y);
            svg.text("s-text", at, 14.0, Anchor::Start, self.name(place));
            let (score, at) = (self.state.players[place].score, (MARGIN + 190.0, y));
            svg.text("s-text", at, 14.0, Anchor::End, score);
        }
    }
}
