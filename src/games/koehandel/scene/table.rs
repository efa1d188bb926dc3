//! What lies on the table: an auction, a trade, what was settled last, or the ranking.

use super::pieces::{card, staked, worth};
use super::plan::{LARGE, NAME_CHARS, Plan, TEXT};
use super::state::{Auction, Bid, Settled, Stage, Stake, State, Trade};
use drover_game::scene::{Anchor, Names, Point, Svg};
use drover_game::text::counted;
use std::cmp::Reverse;

/// Letters of a name in a list.
const LISTED_CHARS: usize = 12;
/// Letters of one where two stand next to each other.
const PAIR_CHARS: usize = 9;
/// Height of a price.
const PRICE: f64 = 30.0;

/// The table of a state, who its players are, and where things are drawn.
pub(super) struct Tabletop<'a> {
    pub(super) plan: &'a Plan,
    pub(super) state: &'a State,
    pub(super) names: &'a Names,
}

impl Tabletop<'_> {
    fn name(&self, place: usize) -> String {
        self.names.short(place, NAME_CHARS)
    }

    /// Draws what lies there.
    pub(super) fn lay(&self, svg: &mut Svg) {
        let state = self.state;
        // The one for sale is not among those that are left: it is to be seen.
        let shown = u8::from(state.auction.is_some());
        let animals = counted(state.deck_left.saturating_sub(shown), "animal");
        let donkeys = counted(state.donkeys, "donkey");
        let deck = format!("{animals} left, {donkeys} seen");
        let at = self.plan.on_table(self.plan.deck);
        svg.text("s-muted", at, TEXT - 1.0, Anchor::Start, deck);
        match (&state.auction, &state.trade, &state.settled) {
            _ if state.stage == Stage::Over => self.ranking(svg),
            (Some(auction), _, _) => self.auctioned(svg, auction),
            (None, Some(trade), _) => self.traded(svg, trade),
            (None, None, Some(settled)) => self.found(svg, settled),
            (None, None, None) => {
                if let Some(place) = state.turn {
                    self.heading(svg, &self.name(place), "begins");
                }
            }
        }
    }

    /// A heading of two parts: on two lines where there is room, else on one.
    fn heading(&self, svg: &mut Svg, who: &str, what: &str) {
        let x = self.plan.deck.0;
        let lines = match self.plan.heading {
            [only] => vec![(*only, format!("{who} {what}"))],
            bases => bases
                .iter()
                .copied()
                .zip([who.to_owned(), what.to_owned()])
                .collect(),
        };
        for (base, line) in lines {
            let at = self.plan.on_table((x, base));
            svg.text("s-text s-bold", at, LARGE, Anchor::Start, line);
        }
    }

    fn auctioned(&self, svg: &mut Svg, auction: &Auction) {
        let (plan, stage) = (self.plan, self.state.stage);
        let what = match stage {
            Stage::Buy => "may buy at the best bid",
            Stage::Pay => "has found a buyer",
            _ => "sells to the highest bidder",
        };
        self.heading(svg, &self.name(auction.seller), what);
        let at = plan.on_table(plan.card);
        card(svg, at, plan.card_size.into(), auction.card, 1);
        if let Some(leader) = auction.leader {
            let words = if stage == Stage::Pay {
                "pays"
            } else {
                "best bid"
            };
            self.best(svg, leader, words, auction.price);
        }
        let best = auction.leader.map(|by| (by, auction.price));
        let earlier = auction.bids.len().saturating_sub(plan.bids_max);
        for (at, bid) in auction.bids.iter().skip(earlier).enumerate() {
            let row = (plan.bids.0, plan.bids.1 + plan.bid_step * at as f64);
            let row = plan.on_table(row);
            self.bid_row(svg, row, bid, best == Some((bid.by, bid.amount)));
        }
        if auction.bids.is_empty() {
            let row = plan.on_table(plan.bids);
            svg.text("s-muted", row, TEXT, Anchor::Start, "No bid yet");
        }
    }

    /// The best bid, or the price, and whose it is.
    fn best(&self, svg: &mut Svg, leader: usize, words: &str, price: u16) {
        let Point { x, y } = self.plan.on_table(self.plan.best);
        let name = self.names.short(leader, PAIR_CHARS);
        self.mark(svg, (x, y).into(), leader, &name);
        svg.text("s-muted", (x, y + 18.0), TEXT, Anchor::Start, words);
        let at = (x, y + 22.0 + PRICE);
        svg.text("s-accent s-bold", at, PRICE, Anchor::Start, price);
    }

    fn bid_row(&self, svg: &mut Svg, at: Point, bid: &Bid, best: bool) {
        self.whose(svg, at, bid.by);
        let amount = (at.x + 160.0, at.y);
        match bid.amount {
            0 => svg.text("s-muted", amount, TEXT, Anchor::End, "passes"),
            bid if best => svg.text("s-accent s-bold", amount, TEXT, Anchor::End, bid),
            bid => svg.text("s-text", amount, TEXT, Anchor::End, bid),
        }
        let (class, note) = match bid.bluff {
            Some(true) => ("s-warn s-bold", "bluff"),
            _ if best => ("s-accent s-bold", "★"),
            _ => return,
        };
        svg.text(class, (at.x + 167.0, at.y), TEXT, Anchor::Start, note);
    }

    /// A player's colour and name at the head of a line.
    fn whose(&self, svg: &mut Svg, at: Point, place: usize) {
        let name = self.names.short(place, LISTED_CHARS);
        self.mark(svg, at, place, &name);
    }

    /// A player's colour, and what it is called here.
    fn mark(&self, svg: &mut Svg, at: Point, place: usize, name: &str) {
        svg.circle(self.names.colour(place), (at.x + 5.5, at.y - 5.0), 5.5);
        svg.text("s-text", (at.x + 16.0, at.y), TEXT, Anchor::Start, name);
    }

    fn traded(&self, svg: &mut Svg, trade: &Trade) {
        let plan = self.plan;
        let (challenger, target) = (self.name(trade.challenger), self.name(trade.target));
        match trade.tied {
            true => self.heading(
                svg,
                "Equal bids:",
                &format!("{challenger} and {target} again"),
            ),
            false => self.heading(svg, &challenger, &format!("challenges {target}")),
        }
        let at = plan.on_table((plan.card_between, plan.card.1));
        card(svg, at, plan.card_size.into(), trade.animal, trade.count);
        let [left, right] = plan.sides.map(|at| plan.on_table(at));
        self.side(svg, left, trade.challenger, trade.offer.as_ref());
        self.side(svg, right, trade.target, trade.counter.as_ref());
    }

    /// One side of a trade.
    fn side(&self, svg: &mut Svg, at: Point, who: usize, stake: Option<&Stake>) {
        self.whose(svg, at, who);
        match stake {
            None => {
                let at = (at.x, at.y + 26.0);
                svg.text("s-muted", at, TEXT, Anchor::Start, "no bid yet");
            }
            Some(stake) => self.staked(svg, at, stake),
        }
    }

    /// Cards below a line of words, and next to these what they are worth.
    fn staked(&self, svg: &mut Svg, at: Point, stake: &Stake) {
        staked(svg, (at.x, at.y + 7.0).into(), stake);
        if let Some(worth) = worth(stake) {
            let (x, y, anchor) = self.plan.worth;
            let at = (at.x + x, at.y + y);
            svg.text(
                "s-text s-bold",
                at,
                TEXT,
                anchor,
                format_args!("worth {worth}"),
            );
        }
    }

    /// What was settled last.
    fn found(&self, svg: &mut Svg, settled: &Settled) {
        let plan = self.plan;
        let to = self.name(settled.to);
        let animal = settled.animal.name();
        let what = match (settled.from, settled.price) {
            (Some(from), _) => format!("won it from {}", self.name(from)),
            (None, Some(0)) => format!("got the {animal} for nothing"),
            (None, Some(price)) => format!("bought the {animal} for {price}"),
            (None, None) => format!("bought the {animal}"),
        };
        self.heading(svg, &to, &what);
        let at = plan.on_table(plan.card);
        card(
            svg,
            at,
            plan.card_size.into(),
            settled.animal,
            settled.count,
        );
        for (payment, at) in settled.payments.iter().zip(plan.payments) {
            let at = plan.on_table(at);
            let [from, to] =
                [payment.from, payment.to].map(|place| self.names.short(place, PAIR_CHARS));
            let text = format!("{from} pays {to}");
            svg.text("s-text", at, TEXT - 1.0, Anchor::Start, text);
            self.staked(svg, at, &payment.stake);
        }
    }

    fn ranking(&self, svg: &mut Svg) {
        self.heading(svg, "The match", "is over");
        let players = &self.state.players;
        let mut order: Vec<usize> = (0..players.len()).collect();
        order.sort_by_key(|place| Reverse(players[*place].score));
        for (row, place) in order.into_iter().enumerate() {
            let (x, y) = self.plan.ranks;
            let y = y + self.plan.rank_step * row as f64;
            let Point { x, y } = self.plan.on_table((x, y));
            svg.circle(self.names.colour(place), (x + 7.0, y - 5.5), 7.0);
            let at = (x + 21.0, y);
            svg.text("s-text s-bold", at, LARGE, Anchor::Start, self.name(place));
            let at = (x + 216.0, y);
            svg.text(
                "s-text s-bold",
                at,
                LARGE,
                Anchor::End,
                players[place].score,
            );
        }
    }
}
