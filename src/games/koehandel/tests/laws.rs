//! Laws of the wire and of hidden information.

use super::disturbed::listener;
use super::play::{message, pick, random_act, random_cards};
use crate::KIT;
use crate::bots;
use crate::bots::champion::Champion;
use crate::cards::{Animal, Compass, Note, PLAYERS, Purse};
use crate::dialect::{Fields, read, read_answer, write, write_answer};
use crate::fold::Fold;
use crate::message::{Goods, Message};
use crate::options::Options;
use crate::player::Player;
use crate::rules::{Act, Ask, Koehandel, Money, Setup};
use crate::view::Bounds;
use drover_game::game::{Budget, Game, Seat};
use drover_game::kit::Kit as _;
use drover_game::rng::Rng;
use drover_game::wire::Next;
use drover_laws::{Terms, laws};
use proptest::prelude::*;
use serde_json::json;

laws!(Koehandel, {}, also: [scenes_are_whole]);

/// The laws that options could break, under those that change most.
#[test]
fn text_and_in_process_play_are_the_same_match() {
    for options in [
        json!({"trade_payment": "exchange"}),
        json!({"second_bluff": "struck", "bluffer_rebids": false, "empty_offer": false}),
    ] {
        let careless = &[];
        let terms = Terms { options, careless };
        drover_laws::a_match_comes_again_from_its_setup::<Koehandel>(&terms);
        drover_laws::decisions_end_when_they_must::<Koehandel>(&terms);
        drover_laws::random_play_ends_alike::<Koehandel>(&terms);
    }
}

fn act(rng: &mut Rng) -> (Ask, Act) {
    let animal = Animal::new(rng.below(11) as u8);
    let opponent = Some(pick(rng, &Compass::RIVALS)).filter(|_| rng.chance(0.9));
    let money = match rng.below(8) {
        0 => Money::Missing,
        1 => Money::Garbage,
        _ => Money::Cards(random_cards(Purse([7, 15, 7, 3, 3, 3]), rng)),
    };
    let card = Animal::DONKEY;
    let (leader, auctioneer) = (Compass::W, Compass::E);
    match rng.below(4) {
        0 => (Ask::Turn, Act::Auction),
        1 => (
            Ask::Turn,
            Act::Trade {
                opponent,
                animal,
                offer: money,
            },
        ),
        2 => (
            Ask::Bid {
                card,
                price: 10,
                leader,
                auctioneer,
            },
            Act::Amount(Some(10 * rng.below(377) as u16).filter(|_| rng.chance(0.8))),
        ),
        _ => (
            Ask::Pay {
                payee: leader,
                price: 10,
            },
            Act::Cards(money),
        ),
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read(seed in any::<u64>(), market in 1u64..1 << 53, id in 1u64..1 << 53) {
        let mut rng = Rng::new(seed, 0);
        let message = message(&mut rng, false);
        let mut fold = Fold::new();
        if let Message::Pay { receiver, .. } = message {
            fold.receive(&Message::Won(Goods { animal: Animal::DONKEY, count: 1, rival: receiver }));
        }
        let text = write(market, id, &message).unwrap();
        let fields = Fields::cut(text.as_bytes()).unwrap();
        prop_assert_eq!((fields.market().unwrap(), fields.id().unwrap()), (market, id));
        prop_assert_eq!(read(&fields, &fold).unwrap(), Some(message), "{}", text);
        let route = KIT.card().dialect.route(text.as_bytes()).unwrap();
        prop_assert_eq!((route.market, route.id), (market, id));
    }

    #[test]
    fn what_is_answered_is_read(seed in any::<u64>()) {
        let (ask, act) = act(&mut Rng::new(seed, 0));
        let text = write_answer(&act);
        let empty = matches!(act, Act::Amount(None) | Act::Cards(Money::Missing));
        let read = read_answer(&ask, text.as_bytes());
        prop_assert_eq!(read, Some(act).filter(|_| !empty), "{}", text);
    }

    #[test]
    fn no_bytes_make_the_decoders_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        decode_everything(&bytes);
    }

    #[test]
    fn no_query_makes_the_decoders_panic(text in "[?]?([a-z]{1,10}=?[-SWNEQntfhTFA-J0-9%]{0,12}&?){0,9}") {
        decode_everything(text.as_bytes());
    }

    #[test]
    fn no_message_makes_a_player_panic(seed in any::<u64>()) {
        let mut rng = Rng::new(seed, 0);
        let name = pick(&mut rng, bots::CARDS).name;
        let mut player = listener(name, seed);
        for _ in 0..150 {
            let text = garbled(&mut rng);
            let Ok(next) = player.receive(text.as_bytes()) else { continue };
            if let Next::Think { fallback, .. } = next {
                let mut best = fallback;
                player.think(Budget::nodes(5), &mut best);
                player.said(if rng.chance(0.8) { &best } else { "?money=tttt" });
            }
            player.view();
        }
        player.facts();
        player.lessons();
    }

    #[test]
    fn bounds_stay_sane_after_any_message(seed in any::<u64>()) {
        let mut rng = Rng::new(seed, 1);
        let mut fold = Fold::new();
        for _ in 0..200 {
            let message = message(&mut rng, false);
            fold.receive(&message);
            if let Some(ask) = fold.ask() {
                let (_, act) = act(&mut rng);
                fold.said(&act);
                prop_assert!(fold.ask() != Some(ask), "an answered ask is closed");
            }
            let view = fold.view();
            prop_assert_eq!(view.cards[0], view.purse.cards());
            prop_assert!(Purse::ALL.holds(view.purse));
            for Bounds { low, high } in view.cash {
                prop_assert!(low <= high, "{:?} after {:?}", view.cash, message);
            }
            for herd in view.herds {
                prop_assert!(herd.iter().all(|owned| *owned <= 4));
            }
        }
    }
}

fn decode_everything(bytes: &[u8]) {
    let fold = Fold::new();
    if let Ok(fields) = Fields::cut(bytes) {
        let _ = read(&fields, &fold);
        let _ = (fields.market(), fields.id());
    }
    let _ = KIT.card().dialect.route(bytes);
    let mut rng = Rng::new(bytes.len() as u64, 0);
    for _ in 0..4 {
        let (ask, _) = act(&mut rng);
        let _ = read_answer(&ask, bytes);
    }
}

/// A written message, often with a field lost, doubled or corrupted.
fn garbled(rng: &mut Rng) -> String {
    let text = write(1, 2, &message(rng, false)).unwrap_or_default();
    let mut fields: Vec<&str> = text.split('&').collect();
    match rng.below(6) {
        0 => {
            let lost = rng.below(fields.len() as u32) as usize;
            fields.remove(lost);
            fields.join("&")
        }
        1 => format!(
            "?{text}&{}",
            fields[rng.below(fields.len() as u32) as usize]
        ),
        2 => text.replace(
            pick(rng, &["Q", "W", "t", "-", "=", "F", "4"]),
            pick(rng, &["", "%51", "E", "-", "9", "%"]),
        ),
        _ => text,
    }
}

/// Two hands with equally many cards and different values, the first at least `least`.
fn twin(hand: Purse, part: Purse, least: u16) -> Option<Purse> {
    for from in Note::ALL {
        for to in Note::ALL {
            if part.count(from) == 0 || hand.count(to) <= part.count(to) || from == to {
                continue;
            }
            let twin = part.minus(Purse::single(from)).plus(Purse::single(to));
            if twin.value() >= least && hand.holds(twin) {
                return Some(twin);
            }
        }
    }
    None
}

/// Settles one payment or trade in two ways that differ only in what is hidden, and compares everything that
/// the uninvolved receive and know.
#[test]
fn views_hide_other_peoples_money() {
    let mut compared = 0;
    for seed in 0..150 {
        let mut rng = Rng::new(seed, 4);
        let mut messages = Vec::new();
        let mut game = Koehandel::open(&Setup::deal(seed, Options::default()), &mut messages);
        while let Some((seat, ask)) = game.asked() {
            let hand = game.purses()[seat];
            let twins = match ask {
                Ask::Pay { price, .. } => {
                    let part = hand.exact_payment(price).unwrap();
                    twin(hand, part, price).map(|twin| (Act::cards(part), Act::cards(twin)))
                }
                Ask::Turn => super::play::first_trade(&game, seat).and_then(|(rival, animal)| {
                    let part = random_cards(hand, &mut rng);
                    let twin = twin(hand, part, 0).filter(|_| hand.holds(part))?;
                    let with = |offer| Act::trade(rival, animal, offer);
                    Some((with(part), with(twin)))
                }),
                _ => None,
            };
            if let Some((one, two)) = twins {
                compare(&game, seat, one, two);
                compared += 1;
            }
            let act = random_act(&game, seat, &ask, &mut rng);
            game.play(act, &mut messages);
        }
    }
    assert!(compared > 1_000, "{compared} settlements compared");
}

fn compare(game: &Koehandel, seat: usize, one: Act, two: Act) {
    let settle = |act: Act| {
        let mut game = game.clone();
        let mut messages = Vec::new();
        game.play(Some(act), &mut messages);
        let mut parties = vec![seat];
        if let Some((target, Ask::Counter { .. })) = game.asked() {
            parties.push(target);
            game.play(Some(Act::Cards(Money::Missing)), &mut messages);
        }
        (game, messages, parties)
    };
    let ((left, left_messages, parties), (right, right_messages, _)) = (settle(one), settle(two));
    for viewer in 0..PLAYERS {
        let paid = left_messages.iter().any(|(at, message)| {
            at.index() == viewer
                && matches!(
                    message,
                    Message::Money { .. } | Message::Pay { .. } | Message::Settled(_)
                )
        });
        if paid || parties.contains(&viewer) {
            continue;
        }
        assert_eq!(left.seen_by(viewer), right.seen_by(viewer));
        let of = |messages: &[(Seat, Message)]| -> Vec<Message> {
            messages
                .iter()
                .filter(|(at, _)| at.index() == viewer)
                .map(|(_, message)| message.clone())
                .collect()
        };
        assert_eq!(of(&left_messages), of(&right_messages));
    }
}

#[test]
fn an_idle_player_is_small() {
    assert!(size_of::<Player>() <= 1_024, "{}", size_of::<Player>());
    assert!(size_of::<Champion>() < 1_024, "{}", size_of::<Champion>());
}

#[test]
fn disturbed_matches_recover() {
    drover_laws::disturb::check(&crate::KIT, 10);
}
