//! What the rivals may hold: a small set of equally likely deals of the hidden money, updated with every
//! message. As long as nothing has been hidden there is one deal, the true one.

use super::playout::Coin;
use crate::bots::policy::{Challenge, Chance, Standing, trade_stake};
use crate::bots::styles::Style;
use crate::cards::{Animal, Compass, Note, PLAYERS, Purse};
use crate::message::Goods;
use crate::view::{Herd, View};

/// How many deals are kept once something is hidden.
const PARTICLES: usize = 96;
/// How often to try for what agrees with what was seen, before anything with as many cards is taken.
const TRIES: usize = 8;

/// All players' money, the viewer first.
pub type Deal = [Purse; PLAYERS];

/// A trade between two others, in whose bids only the numbers of cards were seen.
#[derive(Clone, Copy, Debug)]
pub struct HiddenTrade {
    /// The animal.
    pub animal: Animal,
    /// How many cards of it moved.
    pub count: u8,
    /// The winner and how many cards it paid.
    pub winner: (Compass, u8),
    /// The loser and how many cards it paid, where losers pay.
    pub loser: (Compass, u8),
}

/// The deals considered possible.
#[derive(Clone, Debug)]
pub struct Belief {
    deals: Vec<Deal>,
    /// Whose hands are proved: they are the same in all deals, and nothing of them was inferred.
    sure: [bool; PLAYERS],
}

impl Default for Belief {
    /// At the start all hands are known.
    fn default() -> Self {
        Self {
            deals: vec![[Purse::START; PLAYERS]],
            sure: [true; PLAYERS],
        }
    }
}

impl Belief {
    /// One of the deals.
    #[must_use]
    pub fn draw(&self, chance: &mut impl Chance) -> Deal {
        let at = chance.below(self.deals.len() as u32) as usize;
        self.deals
            .get(at)
            .copied()
            .unwrap_or([Purse::START; PLAYERS])
    }

    /// Whether a player's hand is proved by messages.
    #[must_use]
    pub fn is_sure(&self, of: Compass) -> bool {
        self.sure[of.index()]
    }

    /// What a player holds in each of the deals, in points.
    pub fn cash(&self, of: Compass) -> impl Iterator<Item = u16> {
        self.deals.iter().map(move |deal| deal[of.index()].value())
    }

    /// The share of the deals in which a player holds less than `amount`.
    #[must_use]
    pub fn short_of(&self, amount: u16, of: Compass) -> f32 {
        let short = self.cash(of).filter(|cash| *cash < amount).count();
        short as f32 / self.deals.len().max(1) as f32
    }

    /// A donkey gave each player a card.
    pub fn donkey(&mut self, note: Note) {
        for deal in &mut self.deals {
            for purse in deal {
                *purse = purse.plus(Purse::single(note)).capped();
            }
        }
    }

    /// These cards were seen to move.
    pub fn seen(&mut self, from: Compass, to: Compass, paid: Purse) {
        let paid = paid.capped();
        self.keep(from, |deal| deal[from.index()].holds(paid));
        for deal in &mut self.deals {
            deal[from.index()] = deal[from.index()].less(paid);
            deal[to.index()] = deal[to.index()].plus(paid).capped();
        }
    }

    /// A whole hand was shown.
    pub fn shown(&mut self, by: Compass, hand: Purse) {
        let hand = hand.capped();
        self.keep(by, |deal| deal[by.index()] == hand);
        for deal in &mut self.deals {
            deal[by.index()] = hand;
        }
        self.sure[by.index()] = true;
    }

    /// `cards` cards paid a `price` out of sight. If the payer paid exactly, the number reveals much; it proves
    /// something only where no other cards would do.
    pub fn paid(&mut self, from: Compass, to: Compass, cards: u8, price: u16, coin: &mut Coin) {
        let proved = self.deals.first().filter(|_| self.is_sure(from));
        if let Some(paid) = proved.and_then(|deal| deal[from.index()].only_payment(cards, price)) {
            return self.seen(from, to, paid);
        }
        self.doubt([from, to]);
        let exact = |deal: &Deal| {
            deal[from.index()]
                .exact_payment(price)
                .filter(|paid| paid.cards() == cards)
        };
        let mut payments: Vec<Option<Purse>> = self.deals.iter().map(exact).collect();
        if payments.iter().any(Option::is_some) {
            let mut agree = payments.iter().map(Option::is_some);
            self.deals.retain(|_| agree.next().unwrap_or(false));
            payments.retain(Option::is_some);
        } else {
            self.spread();
            payments.clear();
        }
        let mut payments = payments.into_iter().flatten();
        for deal in &mut self.deals {
            let paid = payments.next().unwrap_or_else(|| {
                (0..TRIES)
                    .map(|_| random_part(deal[from.index()], cards, coin))
                    .find(|part| part.value() >= price)
                    .unwrap_or_else(|| random_part(deal[from.index()], cards, coin))
            });
            deal[from.index()] = deal[from.index()].less(paid);
            deal[to.index()] = deal[to.index()].plus(paid).capped();
        }
        self.fold();
    }

    /// Money moved in a trade between two others. `style` says how each may have bid.
    pub fn traded(
        &mut self,
        trade: &HiddenTrade,
        herds: &[Herd; PLAYERS],
        donkeys: u8,
        mut style: impl FnMut(Compass, &mut Coin) -> Style,
        coin: &mut Coin,
    ) {
        let ((winner, won), (loser, lost)) = (trade.winner, trade.loser);
        if won == 0 && lost == 0 {
            return;
        }
        self.doubt([winner, loser]);
        self.spread();
        for deal in &mut self.deals {
            let view = View::from_holdings(*deal, *herds, donkeys);
            let mut bid = |from: Compass, to: Compass, cards: u8, coin: &mut Coin| {
                let seat = from.index();
                let seen = view.imagined(seat, deal);
                let style = style(from, coin);
                let goods = Goods {
                    animal: trade.animal,
                    count: trade.count,
                    rival: Compass::from_seats(seat, to.index()),
                };
                bid_showing(&style, &seen, goods, cards, coin)
            };
            let mut paid = bid(winner, loser, won, coin);
            let mut back = bid(loser, winner, lost, coin);
            for _ in 0..TRIES {
                if paid.value() >= back.value() {
                    break;
                }
                paid = random_part(deal[winner.index()], won, coin);
                back = bid(loser, winner, lost, coin);
            }
            for (from, to, part) in [(winner, loser, paid), (loser, winner, back)] {
                deal[from.index()] = deal[from.index()].less(part);
                deal[to.index()] = deal[to.index()].plus(part).capped();
            }
        }
        self.fold();
    }

    /// Makes the deals agree with what the seat knows for certain: its own purse, all hand sizes, the money
    /// given out, and the bounds on cash. Redeals what cannot be made to fit.
    pub fn agree(&mut self, view: &View, coin: &mut Coin) {
        let fits = |deal: &Deal| {
            Compass::RIVALS.map(Compass::index).iter().all(|rival| {
                let cash = deal[*rival].value();
                let bounds = view.cash[*rival];
                deal[*rival].cards() == view.cards[*rival]
                    && (bounds.low..=bounds.high).contains(&cash)
            })
        };
        let pool = Purse::issued(view.donkeys).less(view.purse);
        let whole = |deal: &Deal| deal[1].plus(deal[2]).plus(deal[3]) == pool;
        for deal in &mut self.deals {
            deal[0] = view.purse;
        }
        self.deals.retain(|deal| fits(deal) && whole(deal));
        if self.deals.is_empty() {
            self.sure = [false; PLAYERS];
            self.deals = (0..PARTICLES)
                .map(|_| {
                    let dealt = |coin: &mut Coin| deal_out(view, pool, coin);
                    (0..TRIES)
                        .map(|_| dealt(coin))
                        .find(fits)
                        .unwrap_or_else(|| dealt(coin))
                })
                .collect();
        }
        self.sure[Compass::S.index()] = true;
        // The last hand is what all the others leave.
        if self.sure.iter().filter(|sure| !**sure).count() == 1 {
            self.sure = [true; PLAYERS];
        }
    }

    /// Keeps the deals that a fact about a player's hand allows; if it allows none, keeps all of them for repair at
    /// [`Belief::agree`]. If that hand was proved, messages are missing, and nothing is.
    fn keep(&mut self, of: Compass, allowed: impl Fn(&Deal) -> bool) {
        if self.deals.iter().any(&allowed) {
            self.deals.retain(allowed);
        } else if self.is_sure(of) {
            self.sure = [false; PLAYERS];
        }
    }

    /// Something about these hands is inferred.
    fn doubt(&mut self, of: [Compass; 2]) {
        for place in of {
            self.sure[place.index()] = false;
        }
    }

    /// Copies the one deal, so that the copies can diverge.
    fn spread(&mut self) {
        let count = self.deals.len();
        if count == 0 || count >= PARTICLES {
            return;
        }
        self.deals = (0..PARTICLES)
            .filter_map(|at| self.deals.get(at % count).copied())
            .collect();
    }

    /// Merges the deals into one if all are equal.
    fn fold(&mut self) {
        if let Some(first) = self.deals.first().copied()
            && self.deals.iter().all(|deal| *deal == first)
        {
            self.deals = vec![first];
        }
    }
}

/// A bid in a trade, made by a style.
pub fn bid_of(style: &Style, view: &View, goods: Goods, coin: &mut Coin) -> Purse {
    match style {
        Style::Filler => Purse::EMPTY,
        Style::Random => {
            let cards = coin.below(u32::from(view.purse.cards()) + 1) as u8;
            random_part(view.purse, cards, coin)
        }
        Style::Face => crate::bots::policy::pick(view.purse, view.purse.value() / 3),
        Style::Profile(profile) => {
            let standing = Standing::from_herds(&view.herds);
            let challenge = Challenge {
                goods,
                stake: trade_stake(view, &standing, goods, profile.trade_denial),
                rank: 1,
            };
            profile.offer(view, &challenge, coin).0
        }
    }
}

/// What a player of this style may bid in a trade with this many cards.
#[must_use]
pub fn bid_showing(style: &Style, view: &View, goods: Goods, cards: u8, coin: &mut Coin) -> Purse {
    let hand = view.purse;
    if cards == 0 {
        return Purse::EMPTY;
    }
    if cards >= hand.cards() {
        return hand;
    }
    for _ in 0..TRIES {
        let bid = bid_of(style, view, goods, coin);
        if bid.cards() == cards {
            return bid;
        }
    }
    random_part(hand, cards, coin)
}

/// Deals the hidden money to hands of the known sizes; nobody is dealt cards that do not exist.
fn deal_out(view: &View, pool: Purse, coin: &mut Coin) -> Deal {
    let mut deal = [view.purse, Purse::EMPTY, Purse::EMPTY, Purse::EMPTY];
    let mut left = pool;
    for (hand, size) in deal.iter_mut().zip(view.cards).skip(1) {
        *hand = random_part(left, size, coin);
        left = left.less(*hand);
    }
    deal
}

/// `cards` cards of a hand, each equally likely.
pub fn random_part(hand: Purse, cards: u8, coin: &mut Coin) -> Purse {
    let mut left = hand;
    let mut part = Purse::EMPTY;
    for _ in 0..cards.min(hand.cards()) {
        let mut at = coin.below(u32::from(left.cards())) as u8;
        for note in Note::ALL {
            let count = left.count(note);
            if at < count {
                left.0[note as usize] -= 1;
                part.0[note as usize] += 1;
                break;
            }
            at -= count;
        }
    }
    part
}
