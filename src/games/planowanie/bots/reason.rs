//! The rule by which a bot that plays by fixed rules decided.

use std::fmt;

/// The rule that decided. Shown, it is a sentence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reason {
    /// Chance decided among legal acts.
    Chance,
    /// It declares as many tricks as each player takes if all take equally many.
    EvenShare,
    /// It declares what its cards let it expect, in tricks.
    Counted(f32),
    /// There is one legal card.
    Only,
    /// The highest card that wins the trick as it stands.
    Highest,
    /// No card wins the trick as it stands, so the lowest.
    Lowest,
    /// It leads, and has the tricks that it declared.
    LeadsLow,
    /// It leads, and no other card can beat this one.
    LeadsSure,
    /// It leads, has no sure winner, and wants every trick that is left.
    LeadsHigh,
    /// It leads, has no sure winner, and may lose this trick.
    LeadsSafe,
    /// It has its tricks, but every card wins, and it is the last to play.
    MustTake,
    /// It has its tricks, every card wins now, and others play after it.
    HopesToLose,
    /// It has its tricks, and this card loses.
    Sheds,
    /// It wants the trick, but no card wins.
    CannotWin,
    /// It is the last to play, and wins.
    WinsCheaply,
    /// No card that is left can beat it.
    WinsSurely,
    /// It wins now, for lack of another card or because every trick is needed.
    WinsNow,
    /// It could win now, though not surely, and may lose this trick.
    Waits,
}

impl fmt::Display for Reason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Chance => "Chance decided among the legal answers.",
            Self::EvenShare => "It declares its even share of the tricks.",
            Self::Counted(tricks) => return write!(out, "Its cards let it expect {tricks:.1} tricks; it declares a little less, rounded."),
            Self::Only => "This is the only card that the rules allow.",
            Self::Highest => "This is the highest of its cards that win the trick as it stands.",
            Self::Lowest => "None of its cards wins the trick as it stands, so it plays the lowest.",
            Self::LeadsLow => "It has the tricks that it declared, and leads the card that is least likely to win.",
            Self::LeadsSure => "It wants tricks, and leads a card that none of the unseen ones of its suit can beat.",
            Self::LeadsHigh => "It wants every trick that is left, and leads the card that is most likely to win.",
            Self::LeadsSafe => "It wants tricks, but has no sure winner and tricks to spare: it leads the card that is least likely to win.",
            Self::MustTake => "It has the tricks that it declared, but all of its cards win: it plays the strongest, to lose later.",
            Self::HopesToLose => "It has the tricks that it declared, but all of its cards win as yet: it plays the one that is most likely to be beaten.",
            Self::Sheds => "It has the tricks that it declared: of the cards that lose it plays the one most likely to win later.",
            Self::CannotWin => "It wants tricks, but none of its cards wins this one: it plays the one that is least likely to win later.",
            Self::WinsCheaply => "It wants tricks and plays last: it wins with the cheapest card that does.",
            Self::WinsSurely => "It wants tricks: it plays the cheapest of the winning cards that none of the unseen ones of its suit can beat.",
            Self::WinsNow => "It wants tricks: of the cards that win as yet it plays the one that is most likely to stay ahead.",
            Self::Waits => "It wants tricks, but no card wins surely and there are tricks to spare: it plays the losing card that is least likely to win later.",
        })
    }
}
