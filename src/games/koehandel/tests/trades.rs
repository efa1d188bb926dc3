//! The rulings on trades and the end; each test is named after the ruling that it pins.

use super::hall::{END, Hall, position, with};
use crate::options::{LostRow, Options, TradePayment};
use drover_game::game::{Cause, Game};

const H: [&str; 4] = ["H", "H", "", ""];
const OFFER: &str = "?type=trade&opponent=W&goods=H&money=";

fn exchange() -> Options {
    with(|options| options.trade_payment = TradePayment::Exchange)
}

/// Seat 0 challenges seat 1 for H.
fn challenge(options: Options, money: &str) -> Hall {
    let mut hall = Hall::new(position(options, "A", H, None));
    hall.reply(0, &format!("{OFFER}{money}"));
    hall.since();
    hall
}

#[test]
fn a1_the_winner_alone_pays() {
    let mut hall = challenge(Options::default(), "tt");
    hall.reply(1, "?money=t");
    hall.hold(["nnttf", "nnttttttf"]);
    assert_eq!((hall.owns(0, 'H'), hall.owns(1, 'H')), (2, 0));
}

#[test]
fn a1_bids_are_exchanged() {
    let mut hall = challenge(exchange(), "tt");
    hall.reply(1, "?money=t");
    hall.hold(["nntttf", "nntttttf"]);
}

#[test]
fn a9_zeros_change_hands() {
    let mut hall = challenge(Options::default(), "nntt");
    hall.reply(1, "");
    hall.hold(["ttf", "nnnnttttttf"]);
}

#[test]
fn a10_an_empty_offer_is_legal() {
    let mut hall = challenge(Options::default(), "");
    assert_eq!(hall.asked(), Some(1));
    hall.reply(1, "");
    assert_eq!((hall.owns(0, 'H'), hall.purse(0)), (2, "nnttttf".into()));
}

#[test]
fn a10_an_empty_offer_is_a_fault_in_strict_mode() {
    let strict = with(|options| options.empty_offer = false);
    let mut hall = Hall::new(position(strict, "A", H, None));
    hall.reply(0, OFFER);
    hall.receives(0, "type=information&message=invalid_bid");
    hall.receives(1, "type=auction&goods=A&opponent=E&auctioneer=E");
}

#[test]
fn a11_an_empty_counter_accepts_and_a_zero_card_counters() {
    for accepting in ["", "?money=", "?type=trade", "nonsense"] {
        let mut hall = challenge(Options::default(), "n");
        hall.reply(1, accepting);
        assert_eq!(hall.owns(0, 'H'), 2, "{accepting:?}");
    }
    let mut hall = challenge(Options::default(), "n");
    hall.reply(1, "?money=n");
    hall.receives(0, "type=trade&goods=H&opponent=W&money=Q&message=equal_bid");
}

#[test]
fn a12_an_invalid_counter_loses_and_pays_nothing() {
    for options in [Options::default(), exchange()] {
        for invalid in ["?money=ttff", "?money=zzz"] {
            let mut hall = challenge(options, "nntt");
            hall.reply(1, invalid);
            hall.hold(["ttf", "nnnnttttttf"]);
            assert_eq!(hall.owns(0, 'H'), 2);
        }
    }
}

#[test]
fn a12_a_lower_counter_just_loses() {
    let mut hall = challenge(Options::default(), "f");
    hall.reply(1, "?money=tttt");
    assert_eq!(hall.count(1, "type=information&message=invalid_bid"), 0);
    assert_eq!(hall.owns(0, 'H'), 2);
}

#[test]
fn a13_no_rebid_of_the_challenger_is_a_bid_of_no_card() {
    let mut hall = challenge(Options::default(), "t");
    hall.reply(1, "?money=t").reply(0, "");
    hall.receives(1, "type=trade&goods=H&opponent=E&money=&message=equal_bid");
    hall.reply(1, "?money=t");
    assert_eq!((hall.owns(1, 'H'), hall.purse(0)), (2, "nntttttf".into()));
}

#[test]
fn a13_an_invalid_rebid_of_the_challenger_loses() {
    let mut hall = challenge(Options::default(), "t");
    hall.reply(1, "?money=nt").reply(0, "?money=F");
    assert_eq!(
        (hall.owns(1, 'H'), hall.purse(0), hall.purse(1)),
        (2, "nnntttttf".into(), "ntttf".into())
    );
}

#[test]
fn a14_a_second_tie_moves_no_money() {
    for options in [Options::default(), exchange()] {
        let mut hall = challenge(options, "t");
        hall.reply(1, "?money=t").reply(0, "?money=f");
        hall.since();
        hall.reply(1, "?money=f");
        assert_eq!(
            hall.since()[..6],
            [
                "1 type=collect&goods=H&opponent=E",
                "0 type=receive&goods=H&opponent=W",
                "2 type=information&goods=H&opponent=N&money=-",
                "3 type=information&goods=H&opponent=W&money=-",
                "2 type=information&goods=-H&opponent=E",
                "3 type=information&goods=-H&opponent=N",
            ]
        );
        hall.hold(["nnttttf", "nnttttf"]);
    }
}

#[test]
fn a16_a_faulty_trade_becomes_an_auction() {
    let faults = [
        ("?type=trade", "no_opponement_specified"),
        ("?type=trade&goods=Z", "no_opponement_specified"),
        (
            "?type=trade&opponent=N&goods=A",
            "goods_not_owned_by_player",
        ),
        (
            "?type=trade&opponent=N&goods=H",
            "opponent_goods_do_not_match",
        ),
        ("?type=trade&opponent=W&goods=H", "invalid_bid"),
        ("?type=trade&opponent=W&goods=H&money=F", "invalid_bid"),
        ("?type=trade&opponent=W&goods=H&money=?", "invalid_bid"),
    ];
    for (reply, code) in faults {
        let mut hall = Hall::with_deck("A", H);
        hall.reply(0, reply);
        assert_eq!(
            hall.last(0),
            format!("type=information&message={code}"),
            "{reply}"
        );
        assert_eq!(
            hall.last(1),
            "type=auction&goods=A&opponent=E&auctioneer=E",
            "{reply}"
        );
    }
}

#[test]
fn a17_an_unknown_opponent_is_none() {
    for opponent in ["S", "X", "w", "", "WN"] {
        let mut hall = Hall::with_deck("A", H);
        hall.reply(
            0,
            &format!("?type=trade&opponent={opponent}&goods=H&money=t"),
        );
        assert_eq!(
            hall.last(0),
            "type=information&message=no_opponement_specified",
            "{opponent:?}"
        );
    }
}

#[test]
fn a18_a_quartet_cannot_be_challenged() {
    let mut hall = Hall::with_deck("A", ["HHHH", "", "", ""]);
    hall.reply(0, "?type=trade&opponent=W&goods=H&money=t");
    hall.receives(0, "type=information&message=opponent_goods_do_not_match");
    let mut hall = Hall::with_deck("A", ["", "HHHH", "", ""]);
    hall.reply(0, "?type=trade&opponent=W&goods=H&money=t");
    hall.receives(0, "type=information&message=goods_not_owned_by_player");
}

#[test]
fn a19_only_who_can_trade_is_asked_at_the_end() {
    let mut hall = Hall::with_deck(END, ["H", "", "HHH", ""]);
    assert_eq!(hall.asked(), Some(0));
    hall.reply(0, "");
    assert_eq!(hall.asked(), Some(2), "1 and 3 have nothing to trade");
    hall.reply(2, "?type=auction");
    assert!(hall.over(), "both are barred");
    hall.receives(2, "type=end&message=S0W28800N0E0");
}

#[test]
fn a22_an_endless_end_is_cut() {
    let default = Options::default();
    assert_eq!(
        (default.end_turns_max, default.end_turns_without_set_max),
        (400, 60)
    );
    let herds = ["HH", "H", "H", ""];
    let options = with(|options| options.end_turns_without_set_max = 5);
    let mut hall = Hall::new(position(options, END, herds, None));
    let turns = back_and_forth(&mut hall);
    assert_eq!((turns, cause(&hall)), (5, Some(Cause::Stalled)));
    let options = with(|options| options.end_turns_max = 7);
    let mut hall = Hall::new(position(options, END, herds, None));
    let turns = back_and_forth(&mut hall);
    assert_eq!((turns, cause(&hall)), (7, Some(Cause::Stalled)));
}

/// Seats 0 and 1 challenge each other for nothing and lose, so that one H goes back and forth; seat 2 will
/// not trade. Returns how many turns there were.
fn back_and_forth(hall: &mut Hall) -> u32 {
    let mut turns = 0;
    while let Some(seat) = hall.asked() {
        let started = hall.last(seat) == "type=start";
        turns += u32::from(started);
        let reply = match (started, seat) {
            (true, 0) => "?type=trade&opponent=W&goods=H&money=",
            (true, 1) => "?type=trade&opponent=E&goods=H&money=",
            (true, _) => "",
            (false, _) => "?money=t",
        };
        hall.reply(seat, reply);
    }
    turns
}

fn cause(hall: &Hall) -> Option<Cause> {
    hall.game().outcome().map(|outcome| outcome.cause)
}

#[test]
fn p6_zero_cards() {
    let mut hall = Hall::with_deck("A", H);
    hall.reply(0, OFFER);
    hall.receives(1, "type=trade&goods=H&opponent=E&money=");
    hall.since();
    hall.reply(1, "");
    let said = hall.since();
    assert!(
        said.iter()
            .all(|line| !line.contains("collect&opponent") && !line.contains("receive&opponent"))
    );
    assert!(said.contains(&"2 type=information&goods=H&opponent=N&money=-".to_owned()));
    assert!(said.contains(&"2 type=information&goods=-H&opponent=E".to_owned()));
}

#[test]
fn p7_after_a_tie_both_bids_are_void() {
    let mut hall = challenge(Options::default(), "t");
    hall.reply(1, "?money=t");
    hall.receives(0, "type=trade&goods=H&opponent=W&money=Q&message=equal_bid");
    hall.reply(0, "?money=tttt");
    hall.receives(
        1,
        "type=trade&goods=H&opponent=E&money=QQQQ&message=equal_bid",
    );
    hall.reply(1, "?money=FF");
    assert_eq!(hall.count(1, "type=information&message=invalid_bid"), 1);
    assert_eq!(
        (hall.owns(0, 'H'), hall.purse(0)),
        (2, "nnf".into()),
        "the challenger pays its new bid"
    );
}

#[test]
fn p7_an_invalid_rebid_of_the_challenger_is_reported_to_it() {
    let mut hall = challenge(Options::default(), "t");
    hall.reply(1, "?money=t");
    hall.since();
    hall.reply(0, "?money=FF");
    assert_eq!(
        hall.since()[..5],
        [
            "0 type=information&message=invalid_bid",
            "0 type=collect&goods=H&opponent=W",
            "1 type=receive&goods=H&opponent=E",
            "1 type=collect&opponent=E&money=t",
            "0 type=receive&opponent=W&money=t",
        ]
    );
}

#[test]
fn p8_the_rows_of_an_exchange() {
    let mut hall = challenge(exchange(), "tt");
    hall.reply(1, "?money=t");
    assert_eq!(
        hall.since()[..14],
        [
            "1 type=collect&goods=H&opponent=E",
            "0 type=receive&goods=H&opponent=W",
            "0 type=collect&opponent=W&money=tt",
            "1 type=receive&opponent=E&money=tt",
            "1 type=collect&opponent=E&money=t",
            "0 type=receive&opponent=W&money=t",
            "2 type=information&goods=H&opponent=N&money=-QQ",
            "3 type=information&goods=H&opponent=W&money=-QQ",
            "2 type=information&goods=-H&opponent=E&money=QQ",
            "3 type=information&goods=-H&opponent=N&money=QQ",
            "2 type=information&opponent=E&money=-Q",
            "3 type=information&opponent=N&money=-Q",
            "2 type=information&opponent=N&money=Q",
            "3 type=information&opponent=W&money=Q",
        ]
    );
}

#[test]
fn p9_a_faulty_trade_after_the_deck_bars() {
    let herds = ["HI", "HHHIII", "", ""];
    let mut hall = Hall::with_deck(END, herds);
    hall.reply(0, "?type=trade&opponent=N&goods=H&money=t");
    hall.receives(0, "type=information&message=opponent_goods_do_not_match");
    assert_eq!(
        (hall.game().barred(), hall.asked()),
        ([true, false, false, false], Some(1))
    );
    let mut hall = Hall::with_deck(END, herds);
    let received = hall.since().len();
    hall.reply(0, "?money=t");
    assert!(hall.game().barred()[0] && received > 0);
    assert_eq!(
        hall.since(),
        ["1 type=start"],
        "no trade at all: barred without a message"
    );
}

#[test]
fn p9_differing_goods_are_not_owned() {
    for goods in ["HI", "", "K", "h", "HHH", "-H"] {
        let mut hall = Hall::with_deck("A", H);
        hall.reply(0, &format!("?type=trade&opponent=W&goods={goods}&money=t"));
        assert_eq!(
            hall.last(0),
            "type=information&message=goods_not_owned_by_player",
            "{goods}"
        );
    }
}

#[test]
fn p1_a_player_without_cards_is_skipped_not_barred_in_strict_mode() {
    let strict = with(|options| options.empty_offer = false);
    let purses = Some(["", "nnnnttttttttffffhhTTFF", "nnttttffhTF", "nnttttffhTF"]);
    let mut hall = Hall::new(position(strict, END, ["HI", "HHHIII", "", ""], purses));
    assert_eq!(hall.asked(), Some(1));
    assert!(!hall.game().barred()[0]);
    hall.reply(1, "?type=trade&opponent=E&goods=H&money=n")
        .reply(0, "");
    assert_eq!(hall.asked(), Some(0), "paid, seat 0 can trade again");
}

#[test]
fn i5_the_lost_row_names_the_loser_or_the_winner() {
    for (lost_row, named) in [
        (LostRow::Loser, "opponent=E"),
        (LostRow::Winner, "opponent=N"),
    ] {
        let mut hall = challenge(with(|options| options.lost_row = lost_row), "t");
        hall.reply(1, "");
        let row = format!("type=information&goods=-H&{named}&money=Q");
        assert_eq!(hall.count(2, &row), 1, "{lost_row:?}");
    }
}

#[test]
fn i9_invalid_bid_is_said_to_both() {
    let mut hall = Hall::with_deck("A", H);
    hall.reply(0, "?type=trade&opponent=W&goods=H&money=F");
    hall.receives(0, "type=information&message=invalid_bid");
    let mut hall = challenge(Options::default(), "t");
    hall.reply(1, "?money=F");
    assert_eq!(hall.count(1, "type=information&message=invalid_bid"), 1);
}

#[test]
fn i12_two_animals_are_written_twice() {
    let mut hall = Hall::with_deck("A", ["HH", "HH", "", ""]);
    hall.reply(0, "?type=trade&opponent=W&goods=HH&money=t");
    hall.receives(1, "type=trade&goods=HH&opponent=E&money=Q");
    hall.reply(1, "");
    assert_eq!(hall.owns(0, 'H'), 4);
    assert_eq!(
        hall.count(2, "type=information&goods=-HH&opponent=E&money=Q"),
        1
    );
    // Three against one, two against one: one card.
    for herds in [["HHH", "H", "", ""], ["HH", "H", "", ""]] {
        let mut hall = Hall::with_deck("A", herds);
        hall.reply(0, "?type=trade&opponent=W&goods=H&money=t");
        hall.receives(1, "type=trade&goods=H&opponent=E&money=Q");
    }
}
