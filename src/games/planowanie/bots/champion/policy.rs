//! The learnt policy: the value of each card to the player to move, as a sum of table entries that depend
//! only on what that player sees. It plays deals out, judges likely hands, and is what the net adds to.

use super::entries;
use crate::bots::position::{Layout, Mask, PLIES_MAX, Position};
use drover_game::rng::Rng;
use smallvec::SmallVec;

/// The entry value that stands for the deal's number of cards in points.
pub const UNIT: f32 = 4096.0;
/// How far a value may be below the best for a card to be played occasionally.
pub const HEAT: f32 = 0.03;

pub(super) const GOALS: usize = 4;
const PLACES: usize = 4;
const SURPLUSES: usize = 7;
const OVERS: usize = 5;
const HIGHER: usize = 7;
const LOWER: usize = 5;
const LENGTHS: usize = 4;
const CROWDS: usize = 4;
const STAGES: usize = 5;

const FIRST: usize = GOALS * PLACES * SURPLUSES * 4 * HIGHER * LOWER;
const SECOND: usize = GOALS * PLACES * OVERS * 3 * 4 * HIGHER;
const THIRD: usize = GOALS * PLACES * LENGTHS * CROWDS * 4 * HIGHER;
const FOURTH: usize = GOALS * PLACES * STAGES * SURPLUSES * 4 * HIGHER;
const FIFTH: usize = GOALS * PLACES * 2 * 3 * 4 * 4;
const SIXTH: usize = GOALS * PLACES * SURPLUSES * OVERS * 4 * HIGHER;

/// How many tables are summed.
pub const TABLES: usize = 6;
/// How many entries all tables have.
pub const ENTRIES: usize = FIRST + SECOND + THIRD + FOURTH + FIFTH + SIXTH;

/// Whether a card is winning so far, whether it is trump, and how many higher ones there are.
const STRENGTHS: usize = 4 * HIGHER;

const NOISES: usize = 1024;

/// The probability that a card eventually takes a trick, side suits then trump, by the higher cards expected
/// in other hands.
const CHANCES: [[f32; HIGHER]; 2] = [
    [0.80, 0.55, 0.40, 0.25, 0.15, 0.08, 0.03],
    [1.00, 0.85, 0.70, 0.55, 0.40, 0.25, 0.12],
];

/// Sixteenths of a card, in classes by number.
struct Classes {
    higher: [u8; 256],
    lower: [u8; 256],
}

impl Classes {
    /// The class of n higher cards, in sixteenths of a card.
    #[inline]
    fn higher(&self, sixteenths: u32) -> usize {
        usize::from(self.higher[sixteenths.min(255) as usize])
    }

    /// The class of n lower cards, in sixteenths of a card.
    #[inline]
    fn lower(&self, sixteenths: u32) -> usize {
        usize::from(self.lower[sixteenths.min(255) as usize])
    }
}

const CLASSES: Classes = {
    let mut classes = Classes {
        higher: [0; 256],
        lower: [0; 256],
    };
    let mut at = 0;
    while at < 256 {
        classes.higher[at] = match at {
            0 => 0,
            1..=6 => 1,
            7..=13 => 2,
            14..=22 => 3,
            23..=35 => 4,
            36..=56 => 5,
            _ => 6,
        };
        classes.lower[at] = match at {
            0 => 0,
            1..=8 => 1,
            9..=19 => 2,
            20..=40 => 3,
            _ => 4,
        };
        at += 1;
    }
    classes
};

/// The learnt tables and the randomness mixed into play.
#[derive(Clone)]
pub struct Policy {
    entries: Vec<i16>,
    noise: Vec<i32>,
}

/// What is the same for all cards of a decision.
pub struct Context<M> {
    pub(super) unseen: M,
    /// Cards expected in hands, of sixteen unseen ones.
    pub(super) density: u32,
    pub(super) hand: M,
    pub(super) beating: M,
    pub(super) playable: M,
    leads: bool,
    goal_place: usize,
    /// Where this context's entries begin in the tables.
    first: usize,
    second: usize,
    fourth: usize,
    fifth: usize,
    sixth: usize,
}

/// What is the same for all cards of a suit in a decision.
#[derive(Clone, Copy)]
pub struct Sight {
    /// The suit.
    pub suit: u8,
    unseen: u32,
    third: usize,
}

impl<M: Mask> Context<M> {
    /// What the player to move sees.
    #[inline]
    #[must_use]
    pub fn new(layout: &Layout<M>, position: &Position<M>) -> Self {
        let hand = position.hand();
        let unseen = layout.all & !hand & !position.gone;
        let left = i32::from(position.left);
        let players = i32::from(position.players);
        let laid = i32::from(position.laid);
        let held = ((players - 1) * left - laid).max(0) as u32;
        let density = (16 * held / unseen.count().max(1)).min(16);
        let need = i32::from(position.wanted());
        let goal_place = goal(need, left) * PLACES + place(laid, players);
        let surplus = surplus(layout, hand, unseen, density, need);
        let (over, behind) = contest(position);
        let stage = stage(left);
        let holder = laid > 0 && position.need[usize::from(position.holder) & 3] != 0;
        Self {
            unseen,
            density,
            hand,
            beating: if laid == 0 {
                M::NONE
            } else {
                layout.beating(position.best)
            },
            playable: position.playable(layout),
            leads: laid == 0,
            goal_place,
            first: (goal_place * SURPLUSES + surplus) * STRENGTHS,
            second: FIRST + ((goal_place * OVERS + over) * 3 + behind) * STRENGTHS,
            fourth: FIRST
                + SECOND
                + THIRD
                + ((goal_place * STAGES + stage) * SURPLUSES + surplus) * STRENGTHS,
            fifth: FIRST
                + SECOND
                + THIRD
                + FOURTH
                + ((goal_place * 2 + usize::from(holder)) * 3 + behind) * 16,
            sixth: FIRST
                + SECOND
                + THIRD
                + FOURTH
                + FIFTH
                + ((goal_place * SURPLUSES + surplus) * OVERS + over) * STRENGTHS,
        }
    }

    /// What the player to move needs: everything, nothing, all that is left, or a part of it.
    #[inline]
    pub(super) const fn goal(&self) -> usize {
        self.goal_place / PLACES
    }

    /// Its place in the trick: first, third or second of those between, last.
    #[inline]
    pub(super) const fn place(&self) -> usize {
        self.goal_place % PLACES
    }

    /// What is the same for all cards of a suit.
    #[inline]
    #[must_use]
    pub fn sight(&self, layout: &Layout<M>, suit: u8) -> Sight {
        let of_suit = layout.suit(suit);
        let unseen = (self.unseen & of_suit).count();
        let length = ((self.hand & of_suit).count() as usize).clamp(1, LENGTHS) - 1;
        let crowd = match unseen * self.density {
            0 => 0,
            1..=40 => 1,
            41..=96 => 2,
            _ => 3,
        };
        Sight {
            suit,
            unseen,
            third: ((self.goal_place * LENGTHS + length) * CROWDS + crowd) * STRENGTHS,
        }
    }

    /// The entries that make up a card's value, one per table.
    #[inline]
    #[must_use]
    pub fn entries(&self, layout: &Layout<M>, sight: &Sight, card: u8) -> [usize; TABLES] {
        let higher_cards = layout.above(card);
        let above = (higher_cards & self.unseen).count();
        let below = sight.unseen - above;
        let higher = CLASSES.higher(above * self.density);
        let lower = CLASSES.lower(below * self.density);
        let wins = self.leads || !(self.beating & M::card(card)).is_none();
        let kind = usize::from(wins) * 2 + usize::from(sight.suit == 0);
        let is_low = (self.playable & layout.below(card)).is_none();
        let is_high = (self.playable & higher_cards).is_none();
        let rank = usize::from(is_low) * 2 + usize::from(is_high);
        let strength = kind * HIGHER + higher;
        [
            (self.first + strength) * LOWER + lower,
            self.second + strength,
            FIRST + SECOND + sight.third + strength,
            self.fourth + strength,
            self.fifth + kind * 4 + rank,
            self.sixth + strength,
        ]
    }
}

/// What the player to move needs: everything, nothing, all that is left, or a part of it.
#[inline]
fn goal(need: i32, left: i32) -> usize {
    if need < 0 || need > left {
        0
    } else if need == 0 {
        1
    } else if need == left {
        2
    } else {
        3
    }
}

/// Its place in the trick: first, third or second of those between, last.
#[inline]
fn place(laid: i32, players: i32) -> usize {
    if laid == 0 {
        0
    } else if laid + 1 == players {
        3
    } else {
        (players - 1 - laid).min(2) as usize
    }
}

/// How far the deal has progressed.
#[inline]
fn stage(left: i32) -> usize {
    match left {
        ..=2 => 0,
        3 => 1,
        4..=5 => 2,
        6..=8 => 3,
        _ => 4,
    }
}

/// How many more tricks are wanted than there are, and whether none, some or all of those still to play to
/// the trick want it.
#[inline]
fn contest<M: Mask>(position: &Position<M>) -> (usize, usize) {
    let players = usize::from(position.players);
    let laid = usize::from(position.laid);
    let (mut wanted, mut behind, mut seat) = (0, 0, usize::from(position.turn));
    for at in 0..players {
        let other = i32::from(position.need[seat & 3]);
        wanted += other.max(0);
        if at > 0 && at + laid < players && other != 0 {
            behind += 1;
        }
        seat += 1;
        if seat >= players {
            seat = 0;
        }
    }
    let over = (wanted - i32::from(position.left) + 2).clamp(0, 4) as usize;
    let behind = if behind == 0 {
        0
    } else if behind + laid + 1 < players {
        1
    } else {
        2
    };
    (over, behind)
}

/// How the tricks that a hand may expect compare with what it still needs.
#[inline]
fn surplus<M: Mask>(layout: &Layout<M>, hand: M, unseen: M, density: u32, need: i32) -> usize {
    let trumps = layout.suit(0);
    let mut expected = 0.0;
    let mut rest = hand;
    while let Some(card) = rest.pop() {
        let higher = CLASSES.higher((layout.above(card) & unseen).count() * density);
        let trump = usize::from(!(trumps & M::card(card)).is_none());
        expected += CHANCES[trump][higher];
    }
    let spare = expected - need as f32;
    const BOUNDS: [f32; SURPLUSES - 1] = [-1.2, -0.6, -0.2, 0.2, 0.6, 1.2];
    BOUNDS.iter().filter(|bound| spare >= **bound).count()
}

/// Gives each card its value compared with the best one's.
#[inline]
pub(super) fn compare(worths: &mut [(u8, i32)]) {
    let most = worths.iter().map(|(_, worth)| *worth).max().unwrap_or(0);
    for (_, worth) in worths {
        *worth -= most;
    }
}

impl Policy {
    /// The policy with these entries; missing ones are 0.
    #[must_use]
    pub fn new(mut entries: Vec<i16>) -> Self {
        entries.resize(ENTRIES, 0);
        let gumbel = |at: usize| {
            let chance = (at as f64 + 0.5) / NOISES as f64;
            (-(-chance.ln()).ln() * f64::from(HEAT * UNIT)) as i32
        };
        Self {
            entries,
            noise: (0..NOISES).map(gumbel).collect(),
        }
    }

    /// All entries.
    #[must_use]
    pub fn entries(&self) -> &[i16] {
        &self.entries
    }

    /// Sets an entry, as a fraction of the deal's number of cards.
    pub fn set(&mut self, entry: usize, worth: f32) {
        if let Some(slot) = self.entries.get_mut(entry) {
            *slot = entries::as_entry(worth * UNIT);
        }
    }

    /// The value of every card of a set in this context; only differences between cards matter.
    #[inline]
    pub fn each_worth<M: Mask>(
        &self,
        layout: &Layout<M>,
        context: &Context<M>,
        cards: M,
        mut call: impl FnMut(u8, i32),
    ) {
        let mut rest = cards;
        let Some(first) = rest.pop() else {
            return;
        };
        let mut sight = context.sight(layout, layout.suit_of(first));
        let mut card = first;
        loop {
            let entries = context.entries(layout, &sight, card);
            let worth = entries.iter().map(|entry| i32::from(self.entries[*entry]));
            call(card, worth.sum());
            let Some(next) = rest.pop() else {
                return;
            };
            card = next;
            if layout.suit_of(card) != sight.suit {
                sight = context.sight(layout, layout.suit_of(card));
            }
        }
    }

    /// Each card of a set, from the lowest, with its value compared with the best one's.
    #[inline]
    #[must_use]
    pub fn opinions<M: Mask>(
        &self,
        layout: &Layout<M>,
        context: &Context<M>,
        cards: M,
    ) -> SmallVec<[(u8, i32); 16]> {
        let mut opinions: SmallVec<[(u8, i32); 16]> = SmallVec::new();
        self.each_worth(layout, context, cards, |card, worth| {
            opinions.push((card, worth));
        });
        compare(&mut opinions);
        opinions
    }

    /// How often a card of this value is played, as a share of the sum over all cards.
    #[inline]
    #[must_use]
    pub fn weight(&self, worth: i32) -> f32 {
        (worth as f32 / (HEAT * UNIT)).clamp(-60.0, 60.0).exp()
    }

    /// Draws a card, better ones more often; `None` only for an empty set.
    #[inline]
    pub fn draw<M: Mask>(
        &self,
        layout: &Layout<M>,
        position: &Position<M>,
        rng: &mut Rng,
    ) -> Option<u8> {
        let choice = position.distinct(layout);
        if choice.count() < 2 {
            return (!choice.is_none()).then(|| choice.lowest());
        }
        let context = Context::new(layout, position);
        let (mut bits, mut drawn) = (0, 0);
        let mut best = (i32::MIN, 0);
        self.each_worth(layout, &context, choice, |card, worth| {
            if drawn == 0 {
                bits = rng.bits();
                drawn = 6;
            }
            drawn -= 1;
            let score = worth + self.noise[(bits as usize) & (NOISES - 1)];
            bits >>= 9;
            if score > best.0 {
                best = (score, card);
            }
        });
        Some(best.1)
    }

    /// Plays a deal out.
    #[inline]
    pub fn play_out<M: Mask>(&self, layout: &Layout<M>, position: &mut Position<M>, rng: &mut Rng) {
        for _ in 0..PLIES_MAX {
            if position.is_over() {
                return;
            }
            let Some(card) = self.draw(layout, position, rng) else {
                return;
            };
            position.play(layout, card);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cards::Deck;
    use drover_game::game::Seat;

    /// All cards are in hands, so that each unseen one counts whole.
    #[test]
    fn a_card_below_many_is_not_taken_for_one_below_few() {
        let values: String = ('a'..='z').chain('A'..='F').collect();
        let layout = Layout::<u128>::new(&Deck::new(&values, "wxyz").unwrap());
        let mut position = Position::fresh(4, 32, Seat(0));
        // The lowest 15 trumps and the 17th, so that 15 or 16 higher ones are out, and half of another suit.
        for at in (0..15).chain([16]) {
            position.hands[0] |= u128::card(layout.suit(0).lowest() + at);
            position.hands[0] |= u128::card(layout.suit(1).lowest() + at);
        }
        let context = Context::new(&layout, &position);
        let sight = context.sight(&layout, 0);
        let strength = |at| context.entries(&layout, &sight, layout.suit(0).lowest() + at)[1];
        assert_eq!(strength(16), strength(14));
    }

    #[test]
    fn cards_are_drawn_as_often_as_their_weights_say() {
        let (layout, mut rng) = (Layout::<u64>::new(&Deck::contest()), Rng::new(2, 2));
        let policy = &super::super::table::SHIPPED.policy;
        let mut position = Position::fresh(4, 13, Seat(0));
        position.hands[0] = (0..13).fold(0, |hand, card| hand | u64::card(card * 4 + card % 3));
        position.need = [3; 4];
        let cards = position.distinct(&layout);
        let opinions = policy.opinions(&layout, &Context::new(&layout, &position), cards);
        let total: f32 = opinions
            .iter()
            .map(|(_, worth)| policy.weight(*worth))
            .sum();
        let draws = 40_000;
        let mut drawn = [0u32; 64];
        for _ in 0..draws {
            drawn[usize::from(policy.draw(&layout, &position, &mut rng).unwrap())] += 1;
        }
        for (card, worth) in opinions {
            let (share, expected) = (
                drawn[usize::from(card)] as f32 / draws as f32,
                policy.weight(worth) / total,
            );
            assert!(
                (share - expected).abs() < 0.01,
                "{card}: {share} {expected}"
            );
        }
    }
}
