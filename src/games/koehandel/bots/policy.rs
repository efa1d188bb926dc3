//! One parametric policy, of which most rungs of the ladder are instances: the value of a card is the rise in
//! the final score that it brings nearer; a [`Profile`] says which fraction of it to bid, offer and keep.

use super::reason::{Aim, Reason};
use crate::cards::{ANIMALS, Animal, Compass, Note, PLAYERS, Purse};
use crate::message::Goods;
use crate::rules::{Act, Ask, Koehandel};
use crate::view::{Herd, View};
use drover_game::by_rule::by_rule;
use drover_game::game::Bot;
use drover_game::rng::Rng;

/// A source of random numbers: the seeded generator in matches, a cheaper one in playouts.
pub trait Chance {
    /// A real number in `[0, 1)`.
    fn unit(&mut self) -> f64;
    /// A whole number in `0..bound`; 0 for `bound` 0.
    fn below(&mut self, bound: u32) -> u32;
    /// True with probability `p`.
    fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }
}

impl Chance for Rng {
    fn unit(&mut self) -> f64 {
        Rng::unit(self)
    }

    fn below(&mut self, bound: u32) -> u32 {
        Rng::below(self, bound)
    }
}

/// When a player starts trades while animals are still to be turned up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Early {
    /// Only trades whose win completes a quartet.
    Completing,
    /// Whenever one is possible, but each animal only once per card of the deck: two such players could
    /// otherwise win the same animal back and forth forever.
    Always,
}

/// How a player plays. Fractions are of the stake: own claim plus `denial` of a rival's claim, where a
/// claim is (V + (k+1)v)·c/r for one with k quartets worth V, c cards gained of r missing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Profile {
    /// Fraction of the stake to bid in auctions.
    pub bid: f32,
    /// Every auction's limit is multiplied by U(1−noise, 1+noise).
    pub noise: f32,
    /// Weight of the best rival's claim in auctions.
    pub denial: f32,
    /// Fraction of the own cash never bid in an auction.
    pub reserve: f32,
    /// Whether to raise to U(minimum, limit) instead of by the minimum.
    pub jump: bool,
    /// Fraction of the stake up to which the auctioneer buys.
    pub pre_empt: f32,
    /// Weight of the other party's claim in trades.
    pub trade_denial: f32,
    /// Offers are U(low, high) of the stake ...
    pub offer: (f32, f32),
    /// ... and counter bids are U of this.
    pub counter: (f32, f32),
    /// Offers and counter bids stay below this multiple of the rival's estimated cash, plus 10.
    pub cash_cap: Option<f32>,
    /// Whether bids in trades are made up of cards for at least the amount, rather than at most.
    pub over: bool,
    /// How often an offer or a counter bid is a single `n`.
    pub bluff: f32,
    /// When to trade before the deck's end.
    pub early: Early,
}

impl Profile {
    /// Rung 6, and the yardstick for the others.
    pub const GUIDE: Profile = Profile {
        bid: 0.6,
        noise: 0.1,
        denial: 0.65,
        reserve: 0.3,
        jump: true,
        pre_empt: 0.35,
        trade_denial: 0.65,
        offer: (0.5, 1.0),
        counter: (0.5, 1.0),
        cash_cap: None,
        over: false,
        bluff: 0.0,
        early: Early::Completing,
    };
}

/// Quartets and their values, by place.
#[derive(Clone, Copy, Debug)]
pub struct Standing {
    quartets: [f32; PLAYERS],
    values: [f32; PLAYERS],
}

impl Standing {
    /// All players' quartets.
    #[must_use]
    pub fn from_herds(herds: &[Herd; PLAYERS]) -> Self {
        let mut standing = Self {
            quartets: [0.0; PLAYERS],
            values: [0.0; PLAYERS],
        };
        for (place, herd) in herds.iter().enumerate() {
            for (animal, count) in Animal::all().zip(herd) {
                if *count == 4 {
                    standing.quartets[place] += 1.0;
                    standing.values[place] += f32::from(animal.value());
                }
            }
        }
        standing
    }

    /// How many quartets the player at `place` has.
    #[must_use]
    pub fn quartets(&self, place: usize) -> f32 {
        self.quartets[place]
    }

    /// The sum of their values.
    #[must_use]
    pub fn values(&self, place: usize) -> f32 {
        self.values[place]
    }

    /// The rise in the final score of the player at `place` if it completed `animal`.
    #[must_use]
    pub fn rise(&self, place: usize, animal: Animal) -> f32 {
        self.values[place] + (self.quartets[place] + 1.0) * f32::from(animal.value())
    }

    /// The part of that rise that `gained` cards are worth to a player that owns `owned` of them.
    #[must_use]
    pub fn claim(&self, place: usize, animal: Animal, owned: u8, gained: u8) -> f32 {
        let missing = 4u8.saturating_sub(owned).max(1);
        self.rise(place, animal) * f32::from(gained) / f32::from(missing)
    }
}

/// A trade that may be started.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Challenge {
    /// The animals and the rival.
    pub goods: Goods,
    /// Own claim plus the weighted claim of the rival.
    pub stake: f32,
    /// 3: the fourth card; 2: the parties stand equal; 1: it only denies or gathers.
    pub rank: u8,
}

/// The stake of a trade.
#[must_use]
pub fn trade_stake(view: &View, standing: &Standing, goods: Goods, denial: f32) -> f32 {
    let Goods {
        animal,
        count,
        rival,
    } = goods;
    let own = standing.claim(0, animal, view.owns(Compass::S, animal), count);
    let theirs = standing.claim(rival.index(), animal, view.owns(rival, animal), count);
    own + denial * theirs
}

/// Every trade that the viewer may start.
pub fn challenges(view: &View, standing: &Standing, denial: f32, mut found: impl FnMut(Challenge)) {
    for animal in Animal::all() {
        let mine = view.owns(Compass::S, animal);
        if mine == 0 || mine == 4 {
            continue;
        }
        for rival in Compass::RIVALS {
            let count = view.stake(rival, animal);
            if count == 0 {
                continue;
            }
            let rank = match (mine + count, mine == view.owns(rival, animal)) {
                (4, _) if mine == 3 => 3,
                (_, true) => 2,
                _ => 1,
            };
            let goods = Goods {
                animal,
                count,
                rival,
            };
            let stake = trade_stake(view, standing, goods, denial);
            found(Challenge { goods, stake, rank });
        }
    }
}

/// What a player remembers until the next card of the deck is settled: the limits of the open auction,
/// computed when the card is first seen, and which animals it has traded for.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    deck_left: u8,
    bid: u16,
    pre_empt: u16,
    traded_at: u8,
    traded: u16,
}

impl Limits {
    /// No auction yet.
    pub const NONE: Limits = Limits {
        deck_left: u8::MAX,
        bid: 0,
        pre_empt: 0,
        traded_at: u8::MAX,
        traded: 0,
    };

    /// Limits set from outside until the card is settled.
    #[must_use]
    pub fn fixed(deck_left: u8, bid: u16, pre_empt: u16) -> Self {
        Self {
            deck_left,
            bid,
            pre_empt,
            ..Self::NONE
        }
    }

    /// The most to bid in the auction now open.
    #[must_use]
    pub fn bid(&self) -> u16 {
        self.bid
    }

    fn refresh(&mut self, profile: &Profile, view: &View, card: Animal, rng: &mut impl Chance) {
        if self.deck_left != view.deck_left {
            self.deck_left = view.deck_left;
            (self.bid, self.pre_empt) = profile.limits(view, card, rng);
        }
    }
}

fn tens(amount: f32) -> u16 {
    (amount.max(0.0) as u16) / 10 * 10
}

impl Profile {
    /// Sets the limits for the card now up, from stakes that the caller computed.
    pub fn remember(
        &self,
        limits: &mut Limits,
        own: f32,
        rival: f32,
        view: &View,
        rng: &mut impl Chance,
    ) {
        if limits.deck_left != view.deck_left {
            limits.deck_left = view.deck_left;
            (limits.bid, limits.pre_empt) = self.within(own, rival, view.purse.value(), rng);
        }
    }

    /// The limits for `card`: the most to bid and the most to buy for as auctioneer.
    fn limits(&self, view: &View, card: Animal, rng: &mut impl Chance) -> (u16, u16) {
        let standing = Standing::from_herds(&view.herds);
        let claim = |place: usize| standing.claim(place, card, view.herds[place][card.index()], 1);
        let rival = claim(1).max(claim(2)).max(claim(3));
        self.within(claim(0), rival, view.purse.value(), rng)
    }

    fn within(&self, own: f32, rival: f32, cash: u16, rng: &mut impl Chance) -> (u16, u16) {
        let noise = self.noise * (2.0 * rng.unit() as f32 - 1.0);
        self.limits_at(own, rival, cash, noise)
    }

    /// The limits to bid and to buy for given claims, cash and noise.
    #[must_use]
    pub fn limits_at(&self, own: f32, rival: f32, cash: u16, noise: f32) -> (u16, u16) {
        let stake = own + self.denial * rival;
        let spend = f32::from(cash) * (1.0 - self.reserve);
        let within = |fraction: f32| tens((stake * fraction * (1.0 + noise)).min(spend));
        (within(self.bid), within(self.pre_empt))
    }

    /// Answers an ask. `limits` is the player's memory between the asks of one auction.
    pub fn act(&self, view: &View, ask: &Ask, limits: &mut Limits, rng: &mut impl Chance) -> Act {
        self.reasoned(view, ask, limits, rng).0
    }

    /// The same with the rule that decided.
    pub fn reasoned(
        &self,
        view: &View,
        ask: &Ask,
        limits: &mut Limits,
        rng: &mut impl Chance,
    ) -> (Act, Reason) {
        match *ask {
            Ask::Turn => self.turn(view, limits, rng),
            Ask::Bid { card, price, .. } => {
                limits.refresh(self, view, card, rng);
                let bid = self.raise(limits.bid, price, rng);
                let cash = view.purse.value();
                (
                    Act::Amount(bid),
                    Reason::from_bid(bid, price, limits.bid, cash),
                )
            }
            Ask::PreEmpt { card, price, .. } => {
                limits.refresh(self, view, card, rng);
                buy_within(limits.pre_empt, price)
            }
            Ask::Pay { price, .. } => pay(view.purse, price),
            Ask::Counter { .. } | Ask::Rebid { .. } => match ask.goods() {
                Some(goods) => {
                    let (bid, reason) = self.counter(view, goods, rng);
                    (Act::cards(bid), reason)
                }
                None => (Act::cards(Purse::EMPTY), Reason::Nothing),
            },
        }
    }

    /// A player that follows it and ignores all messages, with its own random numbers.
    #[must_use]
    pub fn player(self, mut rng: Rng) -> Box<dyn Bot<Koehandel>> {
        let mut limits = Limits::NONE;
        by_rule(move |view: &View, ask: &Ask| self.reasoned(view, ask, &mut limits, &mut rng))
    }

    /// The next bid over `price` within the limit.
    pub fn raise(&self, limit: u16, price: u16, rng: &mut impl Chance) -> Option<u16> {
        let least = price.saturating_add(10);
        if least > limit {
            None
        } else if self.jump {
            let steps = u32::from((limit - least) / 10) + 1;
            Some(least + 10 * rng.below(steps) as u16)
        } else {
            Some(least)
        }
    }

    fn turn(&self, view: &View, limits: &mut Limits, rng: &mut impl Chance) -> (Act, Reason) {
        let always = view.deck_empty() || self.early == Early::Always;
        if !always && !view.herds[0].contains(&3) {
            return (Act::Auction, Reason::NoQuartet);
        }
        let standing = Standing::from_herds(&view.herds);
        let mut best: Option<Challenge> = None;
        let least = if always { 1 } else { 3 };
        if limits.traded_at != view.deck_left || view.deck_empty() {
            (limits.traded_at, limits.traded) = (view.deck_left, 0);
        }
        challenges(view, &standing, self.trade_denial, |challenge| {
            let order = |challenge: &Challenge| (challenge.rank, challenge.stake);
            if challenge.rank >= least
                && limits.traded & (1 << challenge.goods.animal.index()) == 0
                && best
                    .as_ref()
                    .is_none_or(|best| order(&challenge) > order(best))
            {
                best = Some(challenge);
            }
        });
        let Some(best) = best else {
            let reason = match always {
                true => Reason::NoTrade,
                false => Reason::NoQuartet,
            };
            return (Act::Auction, reason);
        };
        limits.traded |= 1 << best.goods.animal.index();
        let Goods { rival, animal, .. } = best.goods;
        let (offer, reason) = self.offer(view, &best, rng);
        (Act::trade(rival, animal, offer), reason)
    }

    /// The opening bid of a challenge.
    pub fn offer(
        &self,
        view: &View,
        challenge: &Challenge,
        rng: &mut impl Chance,
    ) -> (Purse, Reason) {
        let Challenge { goods, stake, rank } = *challenge;
        if self.bluffs(view, rng) {
            return (Purse::single(Note::Zero), Reason::Bluff);
        }
        let share = stake * draw(self.offer.0, self.offer.1, rng);
        let aim = self.aim(view, goods.rival, share);
        let reason = Reason::Offer { rank, stake, aim };
        (self.make_up(view.purse, aim.amount), reason)
    }

    /// The bid against a challenge.
    pub fn counter(&self, view: &View, goods: Goods, rng: &mut impl Chance) -> (Purse, Reason) {
        let standing = Standing::from_herds(&view.herds);
        let stake = trade_stake(view, &standing, goods, self.trade_denial);
        if self.bluffs(view, rng) {
            return (Purse::single(Note::Zero), Reason::Bluff);
        }
        let share = stake * draw(self.counter.0, self.counter.1, rng);
        let aim = self.aim(view, goods.rival, share);
        let reason = Reason::Counter { stake, aim };
        (self.make_up(view.purse, aim.amount), reason)
    }

    fn make_up(&self, hand: Purse, amount: u16) -> Purse {
        if self.over {
            hand.exact_payment(amount).unwrap_or(hand)
        } else {
            pick(hand, amount)
        }
    }

    fn bluffs(&self, view: &View, rng: &mut impl Chance) -> bool {
        self.bluff > 0.0 && view.purse.count(Note::Zero) > 0 && rng.chance(f64::from(self.bluff))
    }

    /// A share of a stake, kept below what the rival could pay, in tens.
    fn aim(&self, view: &View, rival: Compass, share: f32) -> Aim {
        let cap = self.cash_cap.map_or(f32::MAX, |times| {
            times * f32::from(view.guess[rival.index()]) + 10.0
        });
        Aim {
            amount: tens(share.min(cap)),
            capped: cap < share,
        }
    }
}

fn draw(low: f32, high: f32, rng: &mut impl Chance) -> f32 {
    low + (high - low) * rng.unit() as f32
}

/// Cards worth at most `amount`, the largest first: how the ladder puts its offers together.
#[must_use]
pub fn pick(hand: Purse, amount: u16) -> Purse {
    let mut left = amount;
    let mut part = Purse::EMPTY;
    for note in Note::ALL.into_iter().rev().filter(|note| note.value() > 0) {
        let count = u16::from(hand.count(note)).min(left / note.value());
        left -= count * note.value();
        part.0[note as usize] = count as u8;
    }
    part
}

/// The payment that the server would pick.
#[must_use]
pub fn pay(hand: Purse, price: u16) -> (Act, Reason) {
    let payment = hand.exact_payment(price).unwrap_or(hand);
    (Act::cards(payment), Reason::Pay { price })
}

/// Buys the card for sale at up to `limit`.
#[must_use]
pub fn buy_within(limit: u16, price: u16) -> (Act, Reason) {
    let bought = (price <= limit).then_some(price);
    (Act::Amount(bought), Reason::PreEmpt { price, limit })
}

const _: () = assert!(ANIMALS == 10);
