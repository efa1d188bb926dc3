//! Messages to a player: the rows of the message catalogue (README.md, section 1.4), typed and from the
//! player's point of view. Both the wire's text and the rules in process produce these.

use super::cards::{Animal, Compass, Note, PLAYERS, Purse};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// Why a challenge was refused (row 3) or a counter bid lost (row 18).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// No opponent was named. Its code has the original's spelling.
    Opponent,
    /// The opponent has no such goods.
    OpponentGoods,
    /// The player has no such goods.
    Goods,
    /// The bid cannot be paid.
    Bid,
}

impl Fault {
    /// Every fault.
    pub const ALL: [Fault; 4] = [
        Fault::Opponent,
        Fault::OpponentGoods,
        Fault::Goods,
        Fault::Bid,
    ];

    /// Its code on the wire.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Fault::Opponent => "no_opponement_specified",
            Fault::OpponentGoods => "opponent_goods_do_not_match",
            Fault::Goods => "goods_not_owned_by_player",
            Fault::Bid => "invalid_bid",
        }
    }
}

/// Bids of one auction in the order made, without the reader's own; 0 is a pass.
pub type History = SmallVec<[(Compass, u16); 6]>;

/// A card for sale.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Sale {
    /// Which card.
    pub card: Animal,
    /// Who sells it.
    pub auctioneer: Compass,
    /// The highest bidder; the auctioneer if nobody has bid.
    pub leader: Compass,
    /// The highest bid, 0 if none.
    pub price: u16,
}

/// A card that a player bought from another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Bought {
    /// Which card.
    pub card: Animal,
    /// Who bought it.
    pub buyer: Compass,
    /// How many money cards were paid.
    pub cards: u8,
    /// The least that they are worth.
    pub price: u16,
}

/// The animals of a trade.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Goods {
    /// Which animal.
    pub animal: Animal,
    /// How many cards of it.
    pub count: u8,
    /// The other party; in rows on a trade between others, the player that the row names.
    pub rival: Compass,
}

/// One message to one player. Row numbers are the catalogue's; fields are named as on the wire, with `count`
/// for animals and `cards` for money cards.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[expect(missing_docs, reason = "the fields' names are the catalogue's columns")]
#[serde(rename_all = "snake_case")]
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
    Bid(Sale, History),
    /// Row 7: the reader, as auctioneer, may buy from the leader at `price`.
    PreEmpt(Sale, History),
    /// Row 8: an auctioned card.
    Card(Animal),
    /// Row 9: pay at least `price`.
    Collect { payee: Compass, price: u16 },
    /// Row 10: what the server took.
    PaidByServer { payee: Compass, paid: Purse },
    /// Rows 11 and 23.
    Money { payer: Compass, paid: Purse },
    /// Row 12: another player bought, paying this many cards.
    Bought(Bought),
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
    Challenged { goods: Goods, cards: u8 },
    /// Row 19: the bids tied; bid again against the rival, who bid (or has now bid) `cards`.
    Tie { goods: Goods, cards: u8 },
    /// Row 20.
    Lost(Goods),
    /// Row 21.
    Won(Goods),
    /// Row 22.
    Pay { receiver: Compass, paid: Purse },
    /// Row 24: the rival won.
    TradeWon { goods: Goods, cards: u8 },
    /// Row 25; `cards` is `None` where no money moved.
    TradeLost { goods: Goods, cards: Option<u8> },
    /// A1 (a), to the uninvolved: the loser's bid goes ...
    LoserPaid { loser: Compass, cards: u8 },
    /// ... to the winner.
    WinnerPaid { winner: Compass, cards: u8 },
    /// Row 26: scores by place.
    End([i64; PLAYERS]),
    /// Not on the wire: what the reader paid at row 9, once it is certain.
    Settled(Purse),
    /// Not on the wire: by who the rival is, or may be, the factor on each learnt type's prior weight, in the order of
    /// the types.
    Expected { rival: Compass, weights: Box<[f32]> },
}
