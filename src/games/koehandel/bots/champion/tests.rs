//! The champion in whole matches, in slices, and among nonsense.

use super::{Champion, Memory};
use crate::arena::{Acts, Arena, play};
use crate::game::{Bot, Budget, Game, Progress, Seat};
use crate::koehandel::bots::{listens, make};
use crate::koehandel::cards::{Animal, Compass, Note, PLAYERS, Purse};
use crate::koehandel::fold::Fold;
use crate::koehandel::message::{Fault, History, Message};
use crate::koehandel::models::Models;
use crate::koehandel::options::{Options, SecondBluff, TradePayment};
use crate::koehandel::rules::{Act, Ask, Koehandel, Setup};
use crate::koehandel::view::View;
use crate::ladder::seated;
use crate::rng::Rng;

fn options(trade_payment: TradePayment) -> Options {
    Options {
        trade_payment,
        ..Options::default()
    }
}

/// Every other seat is a champion, whose acts must be legal.
struct Checked {
    nodes: u64,
}

impl Arena<Koehandel> for Checked {
    fn decide(&mut self, _: Seat, bot: &mut dyn Bot<Koehandel>, view: &View, ask: &Ask) -> Act {
        bot.decide(view, ask, Budget::nodes(self.nodes))
    }

    fn arrive(&mut self, game: &Koehandel, acts: &mut Acts<Koehandel>) {
        for (seat, act) in acts.iter().filter(|(seat, _)| seat.0.is_multiple_of(2)) {
            assert_eq!(game.check(*seat, &act.unwrap()), Ok(()));
        }
    }
}

#[test]
fn every_act_is_legal_whatever_the_budget_and_the_options() {
    for (number, nodes) in [0, 1, 7, 90].into_iter().enumerate() {
        for trade_payment in [TradePayment::Winner, TradePayment::Exchange] {
            let options = Options {
                second_bluff: [SecondBluff::Refused, SecondBluff::Struck][number % 2],
                bluffer_rebids: number < 2,
                ..options(trade_payment)
            };
            let names = ["champion", "random", "champion", "trader"];
            let mut bots = seated::<Koehandel>(&names, number as u64 * 4).unwrap();
            let setup = Setup::deal(number as u64, options);
            let game = play(&setup, &mut bots, &mut Checked { nodes }).game;
            assert!(game.outcome().is_some());
        }
    }
}

#[test]
fn slices_and_one_piece_decide_alike() {
    let setup = Setup::deal(3, options(TradePayment::Winner));
    let run = |playouts_a_slice: u32| {
        let mut bot = Champion::new(Rng::new(5, 5), &Models::none());
        let mut others = Rng::new(8, 8);
        let mut heard: Vec<(Seat, Message)> = Vec::new();
        let mut game = Koehandel::open(&setup, &mut heard);
        let mut acts = Vec::new();
        while let Some((seat, ask)) = game.asked() {
            for (seat, message) in heard.drain(..) {
                if seat == Seat(0) {
                    bot.observe(&message);
                }
            }
            let act = if seat == 0 {
                let act = loop {
                    let left = std::cell::Cell::new(playouts_a_slice);
                    let slice = Budget {
                        nodes: 40,
                        stop: &|| left.replace(left.get().saturating_sub(1)) == 0,
                    };
                    let (act, progress) = bot.ponder(game.seen_by(0), &ask, slice);
                    if progress == Progress::Done {
                        break act;
                    }
                };
                acts.push(act);
                Some(act)
            } else {
                let mut legal = Vec::new();
                game.acts(Seat(seat as u8), &mut legal);
                legal
                    .get(others.below(legal.len() as u32) as usize)
                    .copied()
            };
            game.play(act, &mut heard);
        }
        acts
    };
    assert_eq!(run(3), run(1_000));
    assert!(run(1_000).len() > 20);
}

#[test]
fn a_stopped_search_answers_at_once_and_goes_on_later() {
    let setup = Setup::deal(1, Options::default());
    let game = Koehandel::start(&setup);
    let (seat, ask) = game.asked().unwrap();
    let mut bot = Champion::new(Rng::new(1, 1), &Models::none());
    let stopped = Budget {
        nodes: 1_000,
        stop: &|| true,
    };
    for _ in 0..3 {
        let (act, _) = bot.ponder(game.seen_by(seat), &ask, stopped);
        assert!(game.check(Seat(seat as u8), &act).is_ok());
    }
}

/// All deals held possible hold the money that there is, in hands of the known sizes; while nothing
/// is hidden, the deal is the true one.
#[test]
fn deals_agree_with_all_that_is_known() {
    for trade_payment in [TradePayment::Winner, TradePayment::Exchange] {
        for seed in 0..12 {
            let names = ["tuned", "guide", "random", "evolved"];
            let mut bots: Vec<_> = (0..PLAYERS)
                .map(|seat| make(names[seat], seed + seat as u64, &Models::none()).unwrap())
                .collect();
            let mut memory = Memory::new(seed);
            let mut heard: Vec<(Seat, Message)> = Vec::new();
            let setup = Setup::deal(seed, options(trade_payment));
            let mut game = Koehandel::open(&setup, &mut heard);
            let mut right = 0;
            while let Some((seat, ask)) = game.asked() {
                for (seat, message) in heard.drain(..) {
                    if listens(names[seat.index()]) {
                        bots[seat.index()].observe(&message);
                    }
                    if seat == Seat(0) {
                        memory.hear(&message);
                    }
                }
                if seat == 0 {
                    let view = *game.seen_by(0);
                    memory.agree(&view);
                    let mut coin = super::playout::Coin::at(seed, 1, 0);
                    for _ in 0..5 {
                        let deal = memory.belief.draw(&mut coin);
                        let sum = deal
                            .iter()
                            .fold(Purse::EMPTY, |sum, purse| sum.plus(*purse));
                        let all = game
                            .purses()
                            .iter()
                            .fold(Purse::EMPTY, |sum, purse| sum.plus(*purse));
                        assert_eq!(sum, all);
                        for place in Compass::ALL.map(Compass::index) {
                            assert_eq!(deal[place].cards(), view.cards[place]);
                        }
                        right += u32::from(deal == *game.purses());
                    }
                }
                let act = bots[seat].decide(game.seen_by(seat), &ask, Budget::nodes(1));
                game.play(Some(act), &mut heard);
            }
            assert!(right > 50, "the true deal was drawn {right} times only");
        }
    }
}

fn anything(rng: &mut Rng) -> Message {
    let place = Compass::ALL[rng.below(4) as usize];
    let other = Compass::ALL[rng.below(4) as usize];
    let animal = Animal::new(rng.below(10) as u8).unwrap();
    let count = rng.below(4) as u8;
    let cards = rng.below(40) as u8;
    let price = rng.below(65_536) as u16;
    let paid = Purse(std::array::from_fn(|_| rng.below(30) as u8));
    let history: History = (0..rng.below(6))
        .map(|_| (Compass::ALL[rng.below(4) as usize], rng.below(4_000) as u16))
        .collect();
    match rng.below(22) {
        0 => Message::Start,
        1 => Message::Fault(Fault::Bid),
        2 => Message::Donkey(Note::ALL[rng.below(6) as usize]),
        3 => Message::DonkeyOther(place, Note::Fifty),
        4..=6 => Message::Bid {
            card: animal,
            leader: place,
            price,
            auctioneer: other,
            history,
        },
        7 => Message::PreEmpt {
            card: animal,
            bidder: place,
            price,
            history,
        },
        8 => Message::Card(animal),
        9 => Message::Collect {
            payee: place,
            price,
        },
        10 => Message::PaidByServer { payee: place, paid },
        11 => Message::Money { payer: place, paid },
        12 => Message::Bought {
            card: animal,
            buyer: place,
            cards,
            price,
        },
        13 => Message::WasPaid {
            payee: place,
            cards,
            price,
        },
        14 => Message::Free {
            card: animal,
            auctioneer: place,
        },
        15 => Message::Bluffed {
            by: place,
            hand: paid,
        },
        16 => Message::Challenged {
            animal,
            count,
            challenger: place,
            cards,
        },
        17 => Message::Tie {
            animal,
            count,
            opponent: place,
            cards,
        },
        18 => Message::Lost {
            animal,
            count,
            winner: place,
        },
        19 => Message::Won {
            animal,
            count,
            loser: place,
        },
        20 => Message::TradeWon {
            animal,
            count,
            winner: place,
            cards,
        },
        _ => Message::TradeLost {
            animal,
            count,
            named: place,
            cards: Some(cards),
        },
    }
}

#[test]
fn nonsense_from_a_foreign_referee_does_no_harm() {
    let mut rng = Rng::new(11, 0);
    for round in 0..60 {
        let mut fold = Fold::new();
        let mut bot = Champion::new(Rng::new(round, 1), &Models::none());
        for _ in 0..120 {
            let message = anything(&mut rng);
            if let Some(paid) = fold.hear(&message) {
                bot.observe(&Message::Settled(paid));
            }
            bot.observe(&message);
            if let Some(ask) = fold.ask() {
                let _ = bot.decide(fold.view(), &ask, Budget::nodes(12));
            }
        }
    }
}

#[test]
fn an_idle_champion_is_small() {
    assert!(size_of::<Champion>() < 1_024, "{}", size_of::<Champion>());
}
