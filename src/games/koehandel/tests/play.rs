//! Random play with every kind of answer, good and bad, under every option.

use crate::game::Game;
use crate::game::Seat;
use crate::koehandel::cards::{Animal, Compass, Note, Purse};
use crate::koehandel::message::Message;
use crate::koehandel::options::{LostRow, Options, SecondBluff, TradePayment};
use crate::koehandel::rules::{Act, Ask, Koehandel, Money};
use crate::rng::Rng;

/// Every combination of the starred rulings that changes what is sent.
pub fn all_options() -> Vec<Options> {
    let mut all = vec![Options::default()];
    let mut both = |change: &dyn Fn(&mut Options)| {
        let changed: Vec<Options> = all
            .iter()
            .map(|options| {
                let mut options = *options;
                change(&mut options);
                options
            })
            .collect();
        all.extend(changed);
    };
    both(&|options| options.trade_payment = TradePayment::Exchange);
    both(&|options| options.lost_row = LostRow::Winner);
    both(&|options| options.bluffer_rebids = false);
    both(&|options| options.second_bluff = SecondBluff::Struck);
    both(&|options| options.empty_offer = false);
    all
}

/// Cards drawn at random, seldom more than the hand holds.
pub fn random_cards(hand: Purse, rng: &mut Rng) -> Purse {
    let mut cards = Purse::EMPTY;
    for note in Note::ALL {
        cards.0[note as usize] = rng.below(u32::from(hand.of(note)) + 1) as u8;
    }
    if rng.chance(0.05) {
        cards.0[5] += 1;
    }
    cards
}

/// An answer of the right kind, occasionally a faulty one.
pub fn random_act(game: &Koehandel, seat: usize, ask: &Ask, rng: &mut Rng) -> Option<Act> {
    if rng.chance(0.03) {
        return None;
    }
    if rng.chance(0.6) {
        let mut acts = Vec::new();
        game.acts(Seat(seat as u8), &mut acts);
        return acts.get(rng.below(acts.len() as u32) as usize).copied();
    }
    let hand = game.purses()[seat];
    let money = match rng.below(12) {
        0 => Money::Missing,
        1 => Money::Garbage,
        _ => Money::Cards(random_cards(hand, rng)),
    };
    Some(match ask {
        Ask::Turn if rng.chance(0.3) => Act::Auction,
        Ask::Turn => Act::Trade {
            opponent: Some(Compass::ALL[rng.below(4) as usize]).filter(|_| rng.chance(0.95)),
            animal: Animal::new(rng.below(11) as u8),
            offer: money,
        },
        Ask::Bid { price, .. } | Ask::PreEmpt { price, .. } => match rng.below(4) {
            0 => Act::PASS,
            1 => Act::bid(price + 10),
            2 => Act::bid(10 * rng.below(40) as u16),
            _ => Act::bid(*price),
        },
        Ask::Pay { .. } | Ask::Counter { .. } | Ask::Rebid { .. } => Act::Cards(money),
    })
}

/// Plays a match to its end. `heard` gets all messages since the last call, in order, before the next answer
/// is chosen; `said` gets each answer.
pub fn play(
    game: &mut Koehandel,
    heard: &mut Vec<(Seat, Message)>,
    rng: &mut Rng,
    mut tell: impl FnMut(&Koehandel, &mut Vec<(Seat, Message)>),
    mut said: impl FnMut(&Koehandel, usize, &Ask, Option<Act>),
) {
    loop {
        tell(game, heard);
        let Some((seat, ask)) = game.asked() else {
            return;
        };
        let act = random_act(game, seat, &ask, rng);
        said(game, seat, &ask, act);
        game.play(act, heard);
    }
}

/// A rival and an animal that `seat` could trade over.
pub fn first_trade(game: &Koehandel, seat: usize) -> Option<(Compass, Animal)> {
    let view = game.seen_by(seat);
    Animal::all().find_map(|animal| {
        let rival = Compass::RIVALS
            .into_iter()
            .find(|rival| view.stake(*rival, animal) > 0)?;
        Some((rival, animal))
    })
}
