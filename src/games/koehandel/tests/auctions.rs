//! The rulings on auctions; each test is named after the ruling that it pins.

use super::hall::{Hall, position, with};
use crate::KIT;
use crate::options::{Options, SecondBluff};
use crate::rules::Setup;
use drover_game::kit::{Kit as _, TableSetup};
use drover_game::wire::Reply;

const NOBODY: [&str; 4] = [""; 4];
const BLUFFED: &str = "type=information&opponent=W&money=nnttttf&message=bluffed";
const REFUSED: &str = "type=information&message=second_bluff_not_allowed";

/// Seat 0 auctions A; seat 1 bids 100, which it does not have, and is exposed.
fn bluff_found(options: Options) -> Hall {
    let mut hall = Hall::new(position(options, "AB", NOBODY, None));
    hall.reply(0, "").reply(1, "?money=h").pass(&[2, 3, 0]);
    hall.receives(0, BLUFFED);
    hall
}

#[test]
fn a2_the_bluffer_bids_again() {
    let mut hall = bluff_found(Options::default());
    assert_eq!(hall.asked(), Some(1), "from the auctioneer's left");
    assert_eq!(
        hall.last(1),
        "type=auction&goods=A&opponent=E&auctioneer=E",
        "fresh history, same card"
    );
    hall.reply(1, "?money=f").pass(&[2, 3, 0]);
    hall.receives(1, "type=collect&opponent=E&money=f");
}

#[test]
fn a2_the_bluffer_is_left_out() {
    let mut hall = bluff_found(with(|options| options.bluffer_rebids = false));
    assert_eq!(hall.asked(), Some(2));
    hall.pass(&[2, 3]);
    assert_eq!(hall.owns(0, 'A'), 1, "nobody bid: free");
}

#[test]
fn a2_every_bluffer_is_left_out() {
    let mut hall = bluff_found(with(|options| options.bluffer_rebids = false));
    hall.reply(2, "?money=FF").pass(&[3]).reply(0, "");
    assert!(hall.last(2).ends_with("message=bluffed"));
    assert_eq!(hall.asked(), Some(3), "neither of the two bluffers");
}

#[test]
fn a3_a_second_bluff_is_refused_at_once() {
    let mut hall = bluff_found(Options::default());
    hall.reply(1, "?money=T");
    hall.receives(1, REFUSED);
    hall.receives(2, "type=auction&goods=A&opponent=N&auctioneer=N&message=E0");
    hall.pass(&[2, 3]);
    assert_eq!(hall.count(1, REFUSED), 1);
    assert_eq!(hall.owns(0, 'A'), 1);
    // The count is per card: on the next one the player may bluff again.
    hall.reply(1, "")
        .reply(2, "")
        .reply(3, "")
        .reply(0, "?money=F")
        .reply(1, "");
    assert!(hall.nth_last(2, 1).ends_with("message=bluffed"));
}

#[test]
fn a3_a_second_bluff_is_struck_at_payment() {
    let mut hall = bluff_found(with(|options| options.second_bluff = SecondBluff::Struck));
    hall.reply(1, "?money=tt")
        .reply(2, "?money=f")
        .reply(3, "?money=t")
        .reply(1, "?money=F")
        .pass(&[2, 0]);
    assert_eq!(hall.count(1, REFUSED), 1, "found only when it cannot pay");
    assert_eq!(
        hall.last(0),
        "type=auction&goods=A&opponent=N&money=f&message=N50E10N0",
        "the next highest bid stands; 10 was a pass when bid"
    );
    hall.reply(0, "");
    hall.receives(2, "type=collect&opponent=N&money=f");
}

#[test]
fn a3_what_was_a_pass_is_no_next_highest_bid() {
    let mut hall = bluff_found(with(|options| options.second_bluff = SecondBluff::Struck));
    hall.reply(1, "?money=F")
        .reply(2, "?money=TTf")
        .pass(&[3, 0]);
    assert_eq!(
        hall.owns(0, 'A'),
        1,
        "450 was below 500 and thus a pass: nobody bid"
    );
}

#[test]
fn a4_a_pre_empted_bluff_is_paid_and_stays_hidden() {
    let options = Options::default();
    let purses = Some(["nnttttfff", "nntttt", "nntttt", "nnttttf"]);
    let mut hall = Hall::new(position(options, "A", NOBODY, purses));
    hall.reply(0, "")
        .reply(1, "?money=h")
        .pass(&[2, 3])
        .reply(0, "?money=h");
    hall.receives(0, "type=collect&opponent=W&money=h");
    hall.reply(0, "?money=ff");
    assert_eq!(hall.nth_last(1, 1), "type=receive&opponent=E&money=ff");
    assert!((0..4).all(|seat| hall.count(seat, BLUFFED) == 0));
}

#[test]
fn a5_an_auctioneer_without_cash_is_exposed_and_then_refused() {
    let purses = Some(["nn", "nnttttff", "nntttttttt", "nnttttff"]);
    let mut hall = Hall::new(position(Options::default(), "A", NOBODY, purses));
    hall.reply(0, "")
        .reply(1, "?money=t")
        .pass(&[2, 3])
        .reply(0, "?money=t");
    assert_eq!(
        hall.nth_last(0, 0),
        "type=information&money=nn&message=bluffed"
    );
    hall.reply(1, "?money=t").pass(&[2, 3]).reply(0, "?money=t");
    hall.receives(0, REFUSED);
    assert_eq!(
        hall.last(1),
        "type=collect&opponent=E&money=t",
        "the card is sold"
    );
}

/// One who is left out of an auction buys nothing in it: it is asked, as the rows are what they are, and refused.
#[test]
fn a5_an_exposed_auctioneer_who_is_left_out_is_asked_and_refused() {
    let purses = Some(["f", "nnnttttff", "nntttttttt", "nnnttttf"]);
    let options = with(|options| options.bluffer_rebids = false);
    let mut hall = Hall::new(position(options, "A", NOBODY, purses));
    hall.reply(0, "")
        .reply(1, "?money=ff")
        .pass(&[2, 3])
        .reply(0, "?money=ff");
    assert!(hall.nth_last(0, 0).ends_with("message=bluffed"));
    hall.reply(1, "?money=t").pass(&[2, 3]);
    assert_eq!(hall.asked(), Some(0), "row 7");
    // It holds the price, and yet may not buy.
    hall.reply(0, "?money=t");
    hall.receives(0, REFUSED);
    assert_eq!(
        hall.last(1),
        "type=collect&opponent=E&money=t",
        "the card is sold"
    );
}

#[test]
fn a6_the_first_seat_is_drawn_by_seed_or_set() {
    let first = |seed| Setup::deal(seed, Options::default()).first;
    let drawn: Vec<u8> = (0..40).map(first).collect();
    assert!((0..4).all(|seat| drawn.contains(&seat)), "{drawn:?}");
    assert_eq!(drawn, (0..40).map(first).collect::<Vec<_>>());
    for seat in 0..4 {
        let options = with(|options| options.first_seat = Some(seat));
        assert_eq!(Setup::deal(7, options).first, seat);
    }
    let setup = TableSetup::numbered(1, serde_json::json!({"first_seat": 4}), 4);
    let error = KIT.table(&setup).err().expect("there is no seat 4");
    assert!(error.0.contains("seats are 0 to 3"), "{error}");
}

#[test]
fn a7_server_picks_least_total() {
    for reply in ["", "?money=t", "?money=x", "?money=FFF"] {
        let purses = Some(["nnttttf", "nttf", "nnnttttttf", "nnttttf"]);
        let mut hall = Hall::new(position(Options::default(), "A", NOBODY, purses));
        hall.reply(0, "")
            .reply(1, "?money=ttt")
            .pass(&[2, 3, 0])
            .reply(1, reply);
        assert_eq!(
            hall.nth_last(1, 1),
            "type=information&opponent=E&money=-f&message=paid_by_server",
            "30 from nttf by {reply:?}: f is the least that covers it, and never n"
        );
        assert_eq!(hall.purse(1), "ntt");
    }
}

#[test]
fn a8_zeros_and_overpayment_are_legal() {
    let mut hall = Hall::with_deck("A", NOBODY);
    hall.reply(0, "")
        .reply(1, "?money=t")
        .pass(&[2, 3, 0])
        .reply(1, "?money=nntf");
    hall.receives(0, "type=receive&opponent=W&money=nntf");
    assert_eq!(
        (hall.purse(0), hall.purse(1)),
        ("nnnntttttff".into(), "ttt".into())
    );
    hall.receives(2, "type=information&opponent=N&money=QQQQ10");
}

#[test]
fn a15_only_the_value_of_a_bid_counts() {
    let mut hall = Hall::with_deck("A", NOBODY);
    hall.reply(0, "")
        .reply(1, "?money=TTTTTTTTT")
        .reply(2, "?money=nnnn")
        .reply(3, "?money=FFFTh");
    assert_eq!(
        hall.last(0),
        "type=auction&goods=A&opponent=W&money=FFFTh&message=W1800N0E1800",
        "nine T exist nowhere and yet bid 1800; the same again is a pass"
    );
}

#[test]
fn a20_the_donkey_pays_before_the_first_bid() {
    let mut hall = Hall::with_deck("GA", NOBODY);
    hall.since();
    hall.reply(0, "");
    let said = hall.since();
    assert_eq!(said.len(), 17);
    assert_eq!(
        said[..4],
        [
            "0 type=receive&money=f",
            "0 type=information&opponent=W&money=f",
            "0 type=information&opponent=N&money=f",
            "0 type=information&opponent=E&money=f",
        ]
    );
    assert_eq!(said[16], "1 type=auction&goods=G&opponent=E&auctioneer=E");
    assert!((0..4).all(|seat| hall.purse(seat) == "nnttttff"));
    // Sold again after a bluff, the same donkey does not pay again.
    hall.reply(1, "?money=F").pass(&[2, 3, 0]);
    assert!((0..4).all(|seat| hall.purse(seat) == "nnttttff"));
}

#[test]
fn a23_late_and_failed_replies_are_empty() {
    let mut hall = Hall::with_deck("AB", NOBODY);
    hall.silent(Reply::Late);
    assert_eq!(hall.asked(), Some(1), "an auction");
    hall.silent(Reply::Failed)
        .silent(Reply::Late)
        .silent(Reply::Failed);
    assert_eq!((hall.owns(0, 'A'), hall.asked()), (1, Some(1)));
}

#[test]
fn a24_everybody_is_shown_the_bluffer() {
    let hall = bluff_found(Options::default());
    hall.receives(0, BLUFFED);
    assert_eq!(hall.last(2), BLUFFED.replace("opponent=W", "opponent=E"));
    assert_eq!(hall.last(3), BLUFFED.replace("opponent=W", "opponent=N"));
    assert_eq!(
        hall.nth_last(1, 1),
        BLUFFED.replace("&opponent=W", ""),
        "to the bluffer without opponent"
    );
}

#[test]
fn p2_bids_are_bounded() {
    let mut hall = Hall::with_deck("A", NOBODY);
    let (above, all) = ("F".repeat(7) + "Tft", "F".repeat(7) + "Tf" + "t");
    assert_eq!(above, all, "3,760 is all money that can exist");
    hall.reply(0, "")
        .reply(1, &format!("?money={above}t"))
        .reply(2, &format!("?money={}", "n".repeat(401)));
    hall.receives(
        3,
        "type=auction&goods=A&opponent=W&auctioneer=W&message=N0E0",
    );
    hall.reply(3, &format!("?money={all}"));
    hall.receives(
        0,
        "type=auction&goods=A&opponent=E&money=FFFFFFFTft&message=W0N0E3760",
    );
}

#[test]
fn p3_amounts_are_normalised() {
    let mut hall = Hall::with_deck("A", NOBODY);
    hall.reply(0, "").reply(1, "?money=nttttttttttn");
    hall.receives(
        2,
        "type=auction&goods=A&opponent=E&money=h&auctioneer=N&message=E100",
    );
}

#[test]
fn p4_a_bluff_is_found_before_anything_moves() {
    let mut hall = Hall::with_deck("A", NOBODY);
    hall.reply(0, "").reply(1, "?money=h").pass(&[2, 3]);
    hall.since();
    hall.reply(0, "");
    let said = hall.since();
    assert_eq!(said.len(), 5, "{said:?}");
    assert!(
        said[..4]
            .iter()
            .all(|line| line.ends_with("message=bluffed"))
    );
    assert_eq!(said[4], "1 type=auction&goods=A&opponent=E&auctioneer=E");
}

#[test]
fn row_14_a_card_that_nobody_bids_for_is_free() {
    let mut hall = Hall::with_deck("AB", NOBODY);
    hall.reply(0, "").pass(&[1, 2, 3]);
    hall.receives(0, "type=receive&goods=A");
    hall.receives(2, "type=information&goods=A&opponent=N&money=-0");
    hall.receives(1, "type=start");
}

/// A pass is no mistake, however it is said; what cannot be read is one, and so is half a trade.
#[test]
fn answers_that_are_refused_are_counted() {
    let mut hall = Hall::with_deck("AB", NOBODY);
    hall.reply(0, "hello").reply(1, "?money=f");
    hall.reply(2, "?money=0").reply(3, "?n=5").reply(0, "");
    hall.reply(1, "?type=trade");
    assert_eq!(hall.refused(), [1, 1, 0, 0]);
}
