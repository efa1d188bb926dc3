//! Scenes show what their viewer may know, all of it and no more.

use super::play::{Happened, all_options, play};
use crate::KIT;
use crate::cards::{PLAYERS, Purse};
use crate::fold::Fold;
use crate::message::Message;
use crate::options::LostRow;
use crate::rules::{Act, Koehandel};
use crate::scene::{Stage, Stake, State, Watch};
use drover_game::game::Game as _;
use drover_game::kit::Kit as _;
use drover_game::scene::{Names, Scene};
use drover_laws::scenes_of;
use serde_json::json;

fn read(scene: &Scene) -> State {
    State::read(&scene.state).expect("a state")
}

/// The two sides of a seat: what it knows, and what is shown of that.
#[derive(Default)]
struct Side {
    fold: Fold,
    watch: Watch,
}

#[test]
fn a_seat_sees_its_own_money_and_bounds_on_that_of_others() {
    let (mut compared, mut bluffs) = (0, 0);
    for (number, options) in all_options().into_iter().enumerate() {
        for seed in 0..2 {
            let mut sides: [Side; PLAYERS] = Default::default();
            play(
                seed * 1000 + number as u64,
                9,
                options,
                |happened| match happened {
                    Happened::Sent(_, Message::Settled(_)) => {}
                    Happened::Sent(seat, message) => {
                        let Side { fold, watch } = &mut sides[seat.index()];
                        fold.receive(&message);
                        watch.receive(&message, fold);
                    }
                    Happened::Said(game, seat, ask, act) => {
                        let Side { fold, watch } = &mut sides[seat];
                        let state = read(&watch.scene(fold).expect("a scene"));
                        bluffs += shows_what_is_known(&state, game, seat, options.lost_row);
                        compared += 1;
                        let act = act.unwrap_or(Act::Auction);
                        watch.said(ask, &act, fold.view());
                        fold.said(&act);
                    }
                },
            );
        }
    }
    assert!(
        compared > 5_000 && bluffs > 50,
        "{compared}, {bluffs} bluffs"
    );
}

/// Compares the state that the seat sees that is asked; returns how many bluffs it sees.
fn shows_what_is_known(state: &State, game: &Koehandel, seat: usize, row: LostRow) -> usize {
    let (known, all) = (game.seen_by(seat), game.shown(None));
    assert_eq!((state.stage, state.asked), (all.stage, Some(0)));
    for (place, shown) in state.players.iter().enumerate() {
        let there = (seat + place) % PLAYERS;
        let own = game.purses()[there].to_string();
        assert_eq!(shown.money, (place == 0).then_some(own), "money of {place}");
        let open = &all.players[there];
        if row == LostRow::Loser {
            let (cash, bounds) = (shown.cash, known.cash[place]);
            assert_eq!((cash.low, cash.high), (bounds.low, bounds.high));
            assert!(cash.low <= open.cash.low && open.cash.high <= cash.high);
            assert_eq!(shown.animals, open.animals);
            assert_eq!((shown.cards, shown.score), (open.cards, open.score));
        }
    }
    if let Some(trade) = &state.trade {
        let (mine, theirs) = match trade.challenger {
            0 => (&trade.offer, &trade.counter),
            _ => (&trade.counter, &trade.offer),
        };
        let hidden = |stake: &Stake| stake.money.is_none();
        assert!(theirs.as_ref().is_none_or(hidden), "{trade:?}");
        assert!(mine.as_ref().is_none_or(|mine| mine.money.is_some()));
    }
    for payment in state.settled.iter().flat_map(|settled| &settled.payments) {
        let own = payment.from == 0 || payment.to == 0;
        assert_eq!(payment.stake.money.is_some(), own, "{payment:?}");
    }
    let Some((auction, open)) = state.auction.as_ref().zip(all.auction) else {
        return 0;
    };
    assert_eq!((auction.card, auction.price), (open.card, open.price));
    let judged = auction.bids.iter().filter(|bid| bid.bluff.is_some());
    for bid in judged {
        let held = game.purses()[(seat + bid.by) % PLAYERS].value();
        let certain = row == LostRow::Loser;
        assert!(
            !certain || bid.bluff == Some(bid.amount > held),
            "{bid:?}, {held}"
        );
    }
    let bluffs = auction.bids.iter().filter(|bid| bid.bluff == Some(true));
    bluffs.count()
}

#[test]
fn the_table_sees_everything() {
    let mut bluffs = 0;
    for seed in 0..20 {
        let mut over = None;
        play(seed, 9, all_options()[0], |happened| {
            let Happened::Said(game, ..) = happened else {
                return;
            };
            let state = game.shown(None);
            let cash: u16 = state.players.iter().map(|shown| shown.cash.low).sum();
            assert_eq!(cash, Purse::issued(state.donkeys).value());
            let owned: u8 = state
                .players
                .iter()
                .flat_map(|shown| shown.animals.values())
                .sum();
            assert_eq!(owned + state.deck_left, 40);
            let bids = state.auction.iter().flat_map(|auction| &auction.bids);
            bluffs += bids.filter(|bid| bid.bluff == Some(true)).count();
            over = Some(game.clone());
        });
        let mut game = over.expect("a position");
        while game.outcome().is_none() {
            game.play(None, &mut ());
        }
        let state = game.shown(None);
        let scores = state.players.iter().map(|shown| shown.score);
        assert_eq!(state.stage, Stage::Over);
        assert!(
            scores.eq(game
                .outcome()
                .expect("an end")
                .scores
                .values()
                .iter()
                .copied())
        );
    }
    assert!(bluffs > 50, "{bluffs}");
}

#[test]
fn passes_are_quiet_while_others_may_bid() {
    let scenes = scenes_of::<Koehandel>(&["guide", "face"], 1, &json!({}));
    let scenes = &scenes["the table"];
    let (mut passes, mut others, mut paid) = (0, 0, 0);
    for (before, now) in scenes.iter().zip(scenes.iter().skip(1)) {
        assert!(!now.title.contains(" buys the "), "{}", now.title);
        paid += usize::from(now.title.contains(" pays "));
        let news = (KIT.card().news)(&before.state, now);
        assert!(
            news.as_ref()
                .is_none_or(|news| news.quiet && news.title == now.title)
        );
        let quiet = news.is_some();
        let passed = now.title.contains(" passes on the ");
        assert!(passed || !quiet, "{}", now.title);
        passes += usize::from(quiet);
        others += usize::from(!quiet);
    }
    assert!(
        passes > 20 && others > 100 && paid > 10,
        "{passes} passes, {others} others, {paid} payments"
    );
}

#[test]
fn a_picture_is_drawn_as_it_ever_was() {
    let text = include_str!("../golden/scene.json");
    let state: serde_json::Value = serde_json::from_str(text).expect("JSON");
    let card = KIT.card();
    let narrow = card.narrow.expect("one for phones");
    for (draw, golden) in [
        (card.picture, include_str!("../golden/scene.svg")),
        (narrow, include_str!("../golden/scene_narrow.svg")),
    ] {
        let picture = draw(&state, &Names::default()).expect("a picture");
        assert_eq!(picture.document(""), golden);
    }
}
