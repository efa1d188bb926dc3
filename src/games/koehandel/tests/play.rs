//! Random play with every kind of answer, good and bad, under every option.

use crate::cards::{Animal, Compass, Note, Purse};
use crate::message::{Bought, Fault, Goods, History, Message, Sale};
use crate::options::{LostRow, Options, SecondBluff, TradePayment};
use crate::rules::{Act, Ask, Koehandel, Money, Setup};
use drover_game::game::{Game, Seat};
use drover_game::rng::Rng;

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

/// One of them.
pub fn pick<T: Copy>(rng: &mut Rng, items: &[T]) -> T {
    items[rng.below(items.len() as u32) as usize]
}

/// Any message that a referee can send; a `wild` one names places, cards and amounts that none can.
pub fn message(rng: &mut Rng, wild: bool) -> Message {
    let places = if wild {
        &Compass::ALL[..]
    } else {
        &Compass::RIVALS
    };
    let amount = |rng: &mut Rng| match wild {
        true => rng.below(65_536) as u16,
        false => 10 * rng.below(377) as u16,
    };
    let animal = Animal::new(rng.below(10) as u8).unwrap();
    let count = match wild {
        true => rng.below(4) as u8,
        false => 1 + rng.below(2) as u8,
    };
    let rival = pick(rng, places);
    let other = pick(rng, places);
    let anyone = pick(rng, &Compass::ALL);
    let cards = rng.below(45) as u8;
    let price = amount(rng);
    let paid = match wild {
        true => Purse(std::array::from_fn(|_| rng.below(30) as u8)),
        false => random_cards(Purse([7, 15, 7, 3, 3, 3]), rng),
    };
    let note = pick(rng, if wild { &Note::ALL[..] } else { &Note::DONKEYS });
    let history: History = (0..rng.below(9))
        .map(|_| (pick(rng, places), amount(rng)))
        .collect();
    let sale = Sale {
        card: animal,
        auctioneer: other,
        leader: rival,
        price,
    };
    let goods = Goods {
        animal,
        count,
        rival,
    };
    match rng.below(26) {
        0 => Message::Begin,
        1 => Message::Start,
        2 => Message::Fault(pick(rng, &Fault::ALL)),
        3 => Message::Donkey(note),
        4 => Message::Dealt(paid.plus(Purse::single(Note::Zero))),
        5 => Message::DonkeyOther(rival, note),
        6 => Message::Bid(sale, history),
        7 => {
            let auctioneer = Compass::S;
            Message::PreEmpt(Sale { auctioneer, ..sale }, history)
        }
        8 => Message::Card(animal),
        9 => Message::Collect {
            payee: rival,
            price,
        },
        10 => Message::PaidByServer { payee: rival, paid },
        11 => Message::Money { payer: rival, paid },
        12 => Message::Bought(Bought {
            card: animal,
            buyer: rival,
            cards: cards.max(1),
            price,
        }),
        13 => Message::WasPaid {
            payee: rival,
            cards,
            price,
        },
        14 => Message::Free {
            card: animal,
            auctioneer: rival,
        },
        15 => Message::Bluffed {
            by: anyone,
            hand: paid,
        },
        16 => Message::SecondBluff,
        17 => Message::Challenged { goods, cards },
        18 => Message::Tie { goods, cards },
        19 => Message::Lost(goods),
        20 => Message::Won(goods),
        21 => Message::Pay {
            receiver: rival,
            paid,
        },
        22 => Message::TradeWon { goods, cards },
        23 => Message::TradeLost {
            goods,
            cards: Some(cards).filter(|cards| *cards > 0),
        },
        24 if rng.chance(0.5) => Message::LoserPaid {
            loser: rival,
            cards: cards.max(1),
        },
        24 => Message::WinnerPaid {
            winner: rival,
            cards: cards.max(1),
        },
        _ => Message::End(std::array::from_fn(|_| i64::from(rng.below(38_501)))),
    }
}

/// Cards drawn at random, seldom more than the hand holds.
pub fn random_cards(hand: Purse, rng: &mut Rng) -> Purse {
    let mut cards = Purse::EMPTY;
    for note in Note::ALL {
        cards.0[note as usize] = rng.below(u32::from(hand.count(note)) + 1) as u8;
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

/// What happens in a match, in order.
pub enum Happened<'a> {
    /// A seat is sent this.
    Sent(Seat, Message),
    /// In this position a seat answers an ask.
    Said(&'a Koehandel, usize, &'a Ask, Option<Act>),
}

/// Plays a match of this seed to its end with answers drawn from `stream`.
pub fn play(seed: u64, stream: u64, options: Options, mut happens: impl FnMut(Happened<'_>)) {
    let mut rng = Rng::new(seed, stream);
    let mut messages = Vec::new();
    let mut game = Koehandel::open(&Setup::deal(seed, options), &mut messages);
    loop {
        for (seat, message) in messages.drain(..) {
            happens(Happened::Sent(seat, message));
        }
        let Some((seat, ask)) = game.asked() else {
            return;
        };
        let act = random_act(&game, seat, &ask, &mut rng);
        happens(Happened::Said(&game, seat, &ask, act));
        game.play(act, &mut messages);
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
