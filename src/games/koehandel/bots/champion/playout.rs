//! Plays an imagined position on by the real rules, to a turn or to its end, each player in its style.

use crate::bots::policy::{Chance, Limits};
use crate::bots::styles::{Style, claims};
use crate::cards::PLAYERS;
use crate::rules::{Act, Ask, Koehandel};

/// No auction has more raises than this: by 10 up to all the money there is.
const RAISES_MAX: usize = 400;
/// The most answers that one run of the bidding gives the rules: each of the three bidders raises once and
/// passes once.
const BIDDING_ANSWERS_MAX: usize = 2 * (PLAYERS - 1);
/// The most answers and runs of bidding in one playout; one that gets this far is judged as it stands. No
/// legal match of the styles comes near it. A card is a turn, and up to five times (all can be exposed as
/// bluffing once) a run of bidding, the auctioneer's answer and a payment: 40 × 16. Styles that trade before
/// the deck's end do so once for each animal and card, a trade being at most four answers: 40 × 10 × 4 × 4;
/// those that do so by chance have one such trade a turn on average. The end is cut after
/// [`Options::end_turns_max`](crate::options::Options) turns: 400 × 4. Together under 10,000; the
/// longest of the tests takes under 1,000.
pub const STEPS_MAX: usize = 16_384;

/// A cheap random stream for playouts. Keyed by seat and moment, so that two playouts of one scenario draw
/// the same numbers wherever they reach the same moment.
#[derive(Clone, Copy, Debug)]
pub struct Coin(u64);

impl Coin {
    /// The stream of `seed` at `moment` for `seat`.
    #[must_use]
    pub fn at(seed: u64, moment: u64, seat: usize) -> Self {
        Self(seed ^ (moment << 3 | seat as u64).wrapping_mul(0xD1B5_4A32_D192_ED03))
    }

    /// The next 64 bits (SplitMix64).
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

impl Chance for Coin {
    fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    fn below(&mut self, bound: u32) -> u32 {
        (((self.bits() >> 32) * u64::from(bound)) >> 32) as u32
    }
}

/// Plays `game` to its end: see [`play_on`].
pub fn play_out(
    game: &mut Koehandel,
    cast: &[Style; PLAYERS],
    memory: &mut [Limits; PLAYERS],
    seed: u64,
) -> usize {
    play_on(game, cast, memory, seed, None)
}

/// Plays `game` on to the first turn with at most `until` cards in the deck, without that to its end, or until
/// [`STEPS_MAX`] steps are taken, and returns how many were taken. `memory` is each player's memory of the card now up.
pub fn play_on(
    game: &mut Koehandel,
    cast: &[Style; PLAYERS],
    memory: &mut [Limits; PLAYERS],
    seed: u64,
    until: Option<usize>,
) -> usize {
    let mut end_turns = 0;
    for step in 0..STEPS_MAX {
        let Some((seat, ask)) = game.asked() else {
            return step;
        };
        if let Ask::Bid { .. } = ask {
            run_bidding(game, seat, cast, memory, seed);
            continue;
        }
        let ends = until.is_some_and(|until| game.undrawn() <= until);
        if ends && matches!(ask, Ask::Turn) {
            return step;
        }
        let undrawn = game.undrawn() as u64;
        if undrawn == 0 && matches!(ask, Ask::Turn) {
            end_turns += 1;
        }
        let moment = 1 + (undrawn | end_turns << 8) * 8 + u64::from(matches!(ask, Ask::Turn));
        let mut coin = Coin::at(seed, moment, seat);
        let act = cast[seat].act(game.seen_by(seat), &ask, &mut memory[seat], &mut coin);
        game.play(Some(act), &mut ());
    }
    STEPS_MAX
}

/// Runs the bidding aside and gives the rules only each player's last bid: the same sale in few steps.
fn run_bidding(
    game: &mut Koehandel,
    bidder: usize,
    cast: &[Style; PLAYERS],
    memory: &mut [Limits; PLAYERS],
    seed: u64,
) {
    let Some(start) = game.bidding() else { return };
    let (card, mut out, mut leader, mut price) = (start.card, start.out, start.leader, start.price);
    out[start.auctioneer] = true;
    let claims = claims(game.herds(), card);
    let undrawn = game.undrawn() as u64;
    let mut coins: [Coin; PLAYERS] =
        std::array::from_fn(|seat| Coin::at(seed, undrawn * 8 + 5, seat));
    let purses = game.purses().map(|purse| purse.value());
    for seat in 0..PLAYERS {
        cast[seat].remember(
            &mut memory[seat],
            &claims,
            seat,
            game.seen_by(seat),
            &mut coins[seat],
        );
    }
    let mut last = [0; PLAYERS];
    let mut seat = bidder;
    for _ in 0..RAISES_MAX {
        if (0..PLAYERS).all(|other| out[other] || leader == Some(other)) {
            break;
        }
        if !out[seat] && leader != Some(seat) {
            let raised =
                cast[seat].raise(&memory[seat], card, price, purses[seat], &mut coins[seat]);
            if let Some(bid) = raised {
                (price, leader) = (bid, Some(seat));
                last[seat] = bid;
            } else {
                out[seat] = true;
            }
        }
        seat = (seat + 1) % PLAYERS;
    }
    for _ in 0..BIDDING_ANSWERS_MAX {
        let Some((seat, Ask::Bid { price, .. })) = game.asked() else {
            return;
        };
        let bid = Some(last[seat]).filter(|bid| *bid > price);
        last[seat] = 0;
        game.play(Some(Act::Amount(bid)), &mut ());
    }
}
