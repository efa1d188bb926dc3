//! The referee's options: the starred rulings of README.md, each with its default.

use drover_game::card::OptionCard;
use drover_game::options::choice;
use serde::{Deserialize, Serialize};

/// Who pays after a trade (A1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum TradePayment {
    /// Only the winner pays: A1 (b), the original's rows.
    #[default]
    Winner,
    /// The bids are exchanged: A1 (a), the boxed game.
    Exchange,
}

/// What happens to an exposed player's second unpayable bid on one card (A3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum SecondBluff {
    /// Refused at once and counted as a pass: A3 (a).
    #[default]
    Refused,
    /// Struck when it cannot be paid; the next highest bid stands: A3 (b).
    Struck,
}

/// Whom the `-` row after a trade names (I5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum LostRow {
    /// The player who lost the animals: the money table.
    #[default]
    Loser,
    /// The winner again: the goods table and the worked example.
    Winner,
}

/// What a referee may set, one card a field of [`Options`].
pub const OPTIONS: &[OptionCard] = &[
    OptionCard::new(
        "trade_payment",
        "\"winner\"",
        "Who pays after a trade: winner (the original's rows) or exchange (the boxed game).",
    ),
    OptionCard::new(
        "bluffer_rebids",
        "true",
        "Whether a player found bluffing may bid again for the same card.",
    ),
    OptionCard::new(
        "second_bluff",
        "\"refused\"",
        "A second unpayable bid on one card: refused at once, or struck when it cannot be paid.",
    ),
    OptionCard::new(
        "empty_offer",
        "true",
        "Whether a trade may be offered with no card at all.",
    ),
    OptionCard::new(
        "lost_row",
        "\"loser\"",
        "Whom the row with a minus names after a trade: loser or winner.",
    ),
    OptionCard::new(
        "first_seat",
        "null",
        "Who starts, 0 to 3, where 0 is player 1; without it the seed draws.",
    ),
    OptionCard::new(
        "end_turns_max",
        "400",
        "Turns after the deck's end before the match is cut.",
    ),
    OptionCard::new(
        "end_turns_without_set_max",
        "60",
        "Such turns in a row without a completed quartet.",
    ),
    OptionCard::new(
        "failures_max",
        "10",
        "Connection failures or time-outs in a row after which a player is a filler.",
    ),
];

/// Most turns that an operator may let the end of a match last: it must end some day (A22).
pub const END_TURNS_MAX: u16 = 10_000;

/// Everything that a referee may set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// A1.
    #[serde(deserialize_with = "choice")]
    pub trade_payment: TradePayment,
    /// A2: whether a player found bluffing may bid again for the same card.
    #[serde(deserialize_with = "choice")]
    pub bluffer_rebids: bool,
    /// A3.
    #[serde(deserialize_with = "choice")]
    pub second_bluff: SecondBluff,
    /// A10: whether a trade may be offered with no card at all.
    #[serde(deserialize_with = "choice")]
    pub empty_offer: bool,
    /// I5.
    #[serde(deserialize_with = "choice")]
    pub lost_row: LostRow,
    /// A6: who starts, 0 to 3; `null` draws by seed.
    pub first_seat: Option<u8>,
    /// A22: turns after the deck's end before the match is cut.
    pub end_turns_max: u16,
    /// A22: such turns in a row without a completed quartet.
    pub end_turns_without_set_max: u16,
    /// A23: connection failures or time-outs in a row after which a player is a filler.
    pub failures_max: u16,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            trade_payment: TradePayment::Winner,
            bluffer_rebids: true,
            second_bluff: SecondBluff::Refused,
            empty_offer: true,
            lost_row: LostRow::Loser,
            first_seat: None,
            end_turns_max: 400,
            end_turns_without_set_max: 60,
            failures_max: 10,
        }
    }
}
