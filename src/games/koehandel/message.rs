//! Messages to a player: the rows of the message catalogue (README.md, section 1.4), typed and from the
//! player's point of view. Both the wire's text and the rules in process produce these.

use super::cards::{Animal, Compass, Note, PLAYERS, Purse};
use smallvec::SmallVec;

/// Why a challenge was refused (row 3) or a counter bid lost (row 18).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// `no_opponement_specified`: the original's spelling.
    Opponent,
    /// `opponent_goods_do_not_match`
    OpponentGoods,
    /// `goods_not_owned_by_player`
    Goods,
    /// `invalid_bid`
    Bid,
}

/// Bids of one auction in the order made, without the reader's own; 0 is a pass.
pub type History = SmallVec<[(Compass, u16); 6]>;

/// One message to one player. Row numbers are the catalogue's; fields are named as on the wire, with `count`
/// for animals and `cards` for money cards.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the fields' names are the catalogue's columns")]
pub enum Message {
    /// Row 1.
    Begin,
    /// Row 2: the reader's turn.
    Start,
    /// Rows 3 and 18.
    Fault(Fault),
    /// Row 4: each player gets this card from the donkey; this is the reader's own.
    Donkey(Note),
    /// Not sent by our referee: money from the bank that is not a single donkey card, such as the starting
    /// money (A21).
    Dealt(Purse),
    /// Row 5.
    DonkeyOther(Compass, Note),
    /// Row 6: asked for a bid above `price` (0: none yet).
    Bid {
        card: Animal,
        leader: Compass,
        price: u16,
        auctioneer: Compass,
        history: History,
    },
    /// Row 7: the reader, as auctioneer, may buy from `bidder` at `price`.
    PreEmpt {
        card: Animal,
        bidder: Compass,
        price: u16,
        history: History,
    },
    /// Row 8: an auctioned card.
    Card(Animal),
    /// Row 9: pay at least `price`.
    Collect { payee: Compass, price: u16 },
    /// Row 10: what the server took.
    PaidByServer { payee: Compass, paid: Purse },
    /// Rows 11 and 23.
    Money { payer: Compass, paid: Purse },
    /// Row 12: another player bought, paying this many cards.
    Bought {
        card: Animal,
        buyer: Compass,
        cards: u8,
        price: u16,
    },
    /// Row 13.
    WasPaid {
        payee: Compass,
        cards: u8,
        price: u16,
    },
    /// Row 14.
    Free { card: Animal, auctioneer: Compass },
    /// Row 15: the bluffer's whole hand.
    Bluffed { by: Compass, hand: Purse },
    /// Row 16.
    SecondBluff,
    /// Row 17.
    Challenged {
        animal: Animal,
        count: u8,
        challenger: Compass,
        cards: u8,
    },
    /// Row 19: the bids tied; bid again against `opponent`, who bid (or has now bid) `cards`.
    Tie {
        animal: Animal,
        count: u8,
        opponent: Compass,
        cards: u8,
    },
    /// Row 20.
    Lost {
        animal: Animal,
        count: u8,
        winner: Compass,
    },
    /// Row 21.
    Won {
        animal: Animal,
        count: u8,
        loser: Compass,
    },
    /// Row 22.
    Pay { receiver: Compass, paid: Purse },
    /// Row 24.
    TradeWon {
        animal: Animal,
        count: u8,
        winner: Compass,
        cards: u8,
    },
    /// Row 25; `cards` is `None` where no money moved.
    TradeLost {
        animal: Animal,
        count: u8,
        named: Compass,
        cards: Option<u8>,
    },
    /// A1 (a), to the uninvolved: the loser's bid goes ...
    LoserPaid { loser: Compass, cards: u8 },
    /// ... to the winner.
    WinnerPaid { winner: Compass, cards: u8 },
    /// Row 26: scores by place.
    End([i64; PLAYERS]),
    /// Not on the wire: what the reader paid at row 9, once it is certain.
    Settled(Purse),
}
