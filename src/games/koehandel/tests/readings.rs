//! How odd and foreign text is read: the inconsistencies I1 to I13 and the precisions of 2.2.

use crate::KIT;
use crate::cards::{Animal, Compass, Purse};
use crate::dialect::{AMOUNT_MAX, FRAME_MAX, Fields, read, read_answer};
use crate::fold::Fold;
use crate::message::{Bought, Fault, Goods, Message, Sale};
use crate::rules::{Act, Ask, Money};
use drover_game::kit::Kit as _;
use drover_game::wire::WireError;

fn receive(fold: &mut Fold, text: &str) -> Option<Message> {
    let message = parse(fold, text).unwrap_or_else(|error| panic!("{text}: {error}"));
    if let Some(message) = &message {
        fold.receive(message);
    }
    message
}

fn parse(fold: &Fold, text: &str) -> Result<Option<Message>, WireError> {
    read(&Fields::cut(text.as_bytes())?, fold)
}

fn alone(text: &str) -> Option<Message> {
    receive(&mut Fold::new(), text)
}

/// Row 12: N bought A.
fn bought(cards: u8, price: u16) -> Message {
    Message::Bought(Bought {
        card: animal('A'),
        buyer: Compass::N,
        cards,
        price,
    })
}

fn animal(letter: char) -> Animal {
    Animal::from_letter(letter).unwrap()
}

#[test]
fn a21_starting_money_is_set_and_later_money_is_added() {
    let mut fold = Fold::new();
    receive(&mut fold, "type=information&message=begin");
    receive(&mut fold, "type=receive&money=nnttttf");
    assert_eq!(
        fold.view().purse,
        Purse::START,
        "reported right after the start: set"
    );
    receive(&mut fold, "type=receive&money=f");
    assert_eq!(fold.view().purse.value(), 140, "a donkey's card: added");
    let mut fold = Fold::new();
    receive(&mut fold, "type=information&message=begin");
    receive(&mut fold, "type=receive&money=f");
    assert_eq!(
        fold.view().purse.value(),
        140,
        "a referee that says nothing of the start"
    );
}

#[test]
fn i2_a_number_follows_only_after_an_auction() {
    let (place, cards) = (Compass::N, 2);
    assert_eq!(
        alone("type=information&goods=A&opponent=N&money=-QQ20"),
        Some(bought(cards, 20))
    );
    let goods = Goods {
        animal: animal('A'),
        count: 1,
        rival: place,
    };
    assert_eq!(
        alone("type=information&goods=A&opponent=N&money=-QQ"),
        Some(Message::TradeWon { goods, cards })
    );
    assert_eq!(
        alone("type=information&opponent=N&money=QQ20"),
        Some(Message::WasPaid {
            payee: place,
            cards,
            price: 20
        })
    );
}

#[test]
fn i3_i4_histories_are_read_with_and_without_own_bids() {
    for (text, length) in [
        ("W0N40", 2),
        ("S10W0N40", 3),
        ("W=0N=40", 2),
        ("", 0),
        ("W0N40_x9", 2),
    ] {
        let Some(Message::Bid(sale, history)) = alone(&format!(
            "type=auction&goods=F&opponent=N&money=tttt&auctioneer=E&message={text}"
        )) else {
            panic!("{text} is not a bid")
        };
        assert_eq!((history.len(), sale.price), (length, 40), "{text}");
    }
}

#[test]
fn i5_a_lost_row_that_names_the_winner_is_understood() {
    let mut fold = Fold::new();
    for text in [
        "type=information&goods=H&opponent=N&money=-0",
        "type=information&goods=H&opponent=E&money=-0",
        "type=information&goods=H&opponent=N&money=-QQ",
        "type=information&goods=-H&opponent=N&money=QQ",
    ] {
        receive(&mut fold, text);
    }
    assert_eq!(fold.view().owns(Compass::N, animal('H')), 2);
    assert_eq!(
        fold.view().owns(Compass::E, animal('H')),
        0,
        "only E can have lost it"
    );
    assert_eq!(fold.view().cards, [7, 7, 5, 9]);
    assert!(fold.is_certain());
}

#[test]
fn i6_open_cards_are_counted() {
    assert_eq!(
        alone("type=information&goods=A&opponent=N&money=ttf"),
        Some(bought(3, 70))
    );
    assert_eq!(
        alone("type=information&opponent=N&money=ttf"),
        Some(Message::WasPaid {
            payee: Compass::N,
            cards: 3,
            price: 70
        })
    );
}

#[test]
fn i7_scores_are_read_in_every_form() {
    for text in [
        "S0W750N2020E500",
        "W750N2020E=500",
        "E500N=2020W750",
        "S=0W=750N=2020E=500",
    ] {
        assert_eq!(
            alone(&format!("type=end&message={text}")),
            Some(Message::End([0, 750, 2020, 500])),
            "{text}"
        );
    }
}

#[test]
fn i7_an_end_without_the_own_score_is_completed() {
    let mut fold = Fold::new();
    for _ in 0..4 {
        receive(&mut fold, "type=receive&goods=J");
    }
    receive(&mut fold, "type=start");
    assert_eq!(
        receive(&mut fold, "type=end&message=W0N0E0"),
        Some(Message::End([1000, 0, 0, 0]))
    );
}

#[test]
fn i8_a_collect_is_asked_after_an_auction_and_reported_after_a_trade() {
    let mut fold = Fold::new();
    receive(&mut fold, "type=receive&goods=A");
    receive(&mut fold, "type=collect&opponent=W&money=tt");
    assert_eq!(
        fold.ask(),
        Some(Ask::Pay {
            payee: Compass::W,
            price: 20
        })
    );
    let mut fold = Fold::new();
    receive(&mut fold, "type=receive&goods=A&opponent=W");
    receive(&mut fold, "type=collect&opponent=W&money=tt");
    assert_eq!(fold.ask(), None);
    assert_eq!(fold.view().purse.value(), 70);
}

#[test]
fn i11_the_original_spelling_is_kept() {
    assert_eq!(
        alone("type=information&message=no_opponement_specified"),
        Some(Message::Fault(Fault::Opponent))
    );
}

#[test]
fn i13_no_auctioneer_means_me() {
    for auctioneer in ["", "&auctioneer=", "&auctioneer=S"] {
        let text = format!("type=auction&goods=F&opponent=E&money=tttt&message=W10{auctioneer}");
        assert!(
            matches!(
                alone(&text),
                Some(Message::PreEmpt(
                    Sale {
                        leader: Compass::E,
                        price: 40,
                        ..
                    },
                    _
                ))
            ),
            "{text}"
        );
    }
}

#[test]
fn p1_empty_and_invalid_replies() {
    let (bid, pay) = (
        Ask::Bid {
            card: animal('A'),
            price: 10,
            leader: Compass::W,
            auctioneer: Compass::W,
        },
        Ask::Pay {
            payee: Compass::W,
            price: 10,
        },
    );
    for empty in ["", " \n", "?", "pass", "%zz=1", "?money=t&money=f", "money"] {
        assert_eq!(read_answer(&bid, empty.as_bytes()), None, "{empty:?}");
    }
    assert_eq!(read_answer(&bid, &[0xFF, b'=']), None, "not ASCII");
    for (text, act) in [
        ("?money=tt", Act::bid(20)),
        ("money=tt\r\n", Act::bid(20)),
        ("  ?x=1&money=t%74  ", Act::bid(20)),
        ("?money=tx", Act::PASS),
        ("?type=auction", Act::PASS),
        ("?money=", Act::bid(0)),
    ] {
        assert_eq!(read_answer(&bid, text.as_bytes()), Some(act), "{text:?}");
    }
    for (text, money) in [
        ("?type=auction", Money::Missing),
        ("?money=", Money::Cards(Purse::EMPTY)),
        ("?money=tq", Money::Garbage),
        ("?money=FFFFF", Money::Garbage),
    ] {
        assert_eq!(
            read_answer(&pay, text.as_bytes()),
            Some(Act::Cards(money)),
            "{text:?}"
        );
    }
    let trade = read_answer(&Ask::Turn, b"?type=trade&opponent=W&goods=H");
    assert!(
        matches!(
            trade,
            Some(Act::Trade {
                offer: Money::Missing,
                ..
            })
        ),
        "no money key is a fault"
    );
}

#[test]
fn p12_unknown_codes_are_ignored() {
    assert_eq!(alone("type=information&message=have_a_nice_day"), None);
    assert_eq!(
        alone("type=information&goods=A&opponent=N&money=-QQ20&message=have_a_nice_day"),
        alone("type=information&goods=A&opponent=N&money=-QQ20")
    );
}

#[test]
fn p12_a_bluff_with_goods_transfers_nothing() {
    let mut fold = Fold::new();
    receive(&mut fold, "type=information&goods=B&opponent=N&money=-QQ20");
    receive(&mut fold, "type=information&opponent=E&money=QQ20");
    receive(
        &mut fold,
        "type=information&goods=A&opponent=N&money=nnttf&message=bluffed",
    );
    let view = fold.view();
    assert_eq!(
        (view.owns(Compass::N, animal('A')), view.deck_left),
        (0, 39)
    );
    assert!(view.exposed[Compass::N.index()]);
    assert_eq!(view.cash[Compass::N.index()].high, 70);
    receive(&mut fold, "type=auction&goods=A&opponent=E&auctioneer=E");
    assert_eq!(fold.view().deck_left, 39, "the same card again");
    receive(&mut fold, "type=information&goods=A&opponent=E&money=-0");
    assert_eq!(
        (fold.view().deck_left, fold.view().exposed),
        (38, [false; 4])
    );
}

#[test]
fn p12_what_the_server_took_is_what_was_paid() {
    let mut fold = Fold::new();
    receive(&mut fold, "type=receive&goods=A");
    receive(&mut fold, "type=collect&opponent=W&money=t");
    fold.said(&Act::cards(Purse([0, 4, 0, 0, 0, 0])));
    receive(
        &mut fold,
        "type=information&opponent=W&money=-f&message=paid_by_server",
    );
    assert_eq!(fold.view().purse, Purse([2, 4, 0, 0, 0, 0]));
}

#[test]
fn routing_fields_are_checked() {
    let field = |text: &str| {
        KIT.card()
            .dialect
            .route(text.as_bytes())
            .map_err(|error| error.field)
    };
    assert!(field("market=12&id=3&type=start").is_ok());
    assert!(field(" ?market=%31&id=3&type=start\n").is_ok());
    for (text, wrong) in [
        ("id=3&type=start", "market"),
        ("market=0&id=3", "market"),
        ("market=-1&id=3", "market"),
        ("market=1.5&id=3", "market"),
        ("market=99999999999999999999999&id=3", "market"),
        ("market=9007199254740992&id=3", "market"),
        ("market=1&market=1&id=3", "market"),
        ("market=1", "id"),
        ("market=1&id=x", "id"),
        ("market=1&id=1&type=%", "query"),
        ("market=1&id=1&type=%9", "query"),
        ("market=1&id=1&type=%C3%A9", "query"),
        ("market=1&id=1&type=\u{e9}", "query"),
    ] {
        assert_eq!(field(text).err(), Some(wrong), "{text}");
    }
    let long = format!("market=1&id=1&x={}", "y".repeat(FRAME_MAX));
    assert_eq!(field(&long).err(), Some("query"));
    assert!(
        KIT.card()
            .dialect
            .route(b"market=1&id=1&type=information&message=begin")
            .unwrap()
            .begins
    );
    assert!(
        !KIT.card()
            .dialect
            .route(b"market=1&id=1&type=start&message=begin")
            .unwrap()
            .begins
    );
}

#[test]
fn unknown_types_and_unreadable_fields_are_errors() {
    for (text, wrong) in [
        ("market=1", "type"),
        ("type=dance", "type"),
        ("type=START", "type"),
        ("type=auction&opponent=E&auctioneer=E", "goods"),
        ("type=auction&goods=K&auctioneer=E", "goods"),
        ("type=auction&goods=A&auctioneer=w", "auctioneer"),
        ("type=auction&goods=A&auctioneer=E&money=12", "money"),
        ("type=trade&goods=AB&opponent=W", "goods"),
        ("type=trade&goods=A", "opponent"),
        ("type=trade&goods=A&opponent=S", "opponent"),
        ("type=collect&money=t", "opponent"),
        ("type=receive&money=tttttttttttttttttt", "money"),
        ("type=information&opponent=W&money=Q-5", "money"),
    ] {
        let error = parse(&Fold::new(), text).unwrap_err();
        assert_eq!(error.field, wrong, "{text}: {error}");
    }
}

#[test]
fn huge_amounts_are_bounded() {
    let text = format!(
        "type=auction&goods=A&opponent=W&auctioneer=W&money={}&message=W{}",
        "F".repeat(3_000),
        "9".repeat(50)
    );
    let Some(Message::Bid(sale, history)) = alone(&text) else {
        panic!("it is a bid")
    };
    assert_eq!((sale.price, history[0].1), (AMOUNT_MAX, AMOUNT_MAX));
}
