//! Ways of playing that a searcher knows: every rung of the ladder and perturbed ones, so that an unknown
//! rival is close to one of them.

use super::champion::base;
use super::policy::{Chance, Limits, Profile, Standing};
use super::{evolved, face, filler, guide, random, setbuilder, trader, tuned};
use crate::cards::{Animal, PLAYERS};
use crate::rules::{Act, Ask};
use crate::view::{Herd, View};

/// A way of playing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Style {
    /// Rung 1.
    Filler,
    /// Rung 2.
    Random,
    /// Rung 5.
    Face,
    /// By a profile.
    Profile(Profile),
}

/// A learnt type: a name that stored models use, a style, and a prior.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// Its name.
    pub name: &'static str,
    /// How it plays.
    pub style: Style,
    /// Its weight before anything was seen.
    pub prior: f32,
    /// Whether those who resemble it may well look ahead: searchers depart from strong policies.
    pub may_search: bool,
}

const fn kind(name: &'static str, style: Style, prior: f32) -> Kind {
    Kind {
        name,
        style,
        prior,
        may_search: false,
    }
}

/// A policy that was climbed to.
const fn climbed(name: &'static str, profile: Profile) -> Kind {
    Kind {
        may_search: true,
        ..kind(name, Style::Profile(profile), 1.0)
    }
}

/// A rung of the ladder.
const fn rung(name: &'static str, style: Style) -> Kind {
    kind(name, style, 1.0)
}

/// A perturbed rung.
const fn variant(name: &'static str, profile: Profile) -> Kind {
    kind(name, Style::Profile(profile), 0.3)
}

/// All types that are distinguished, the ladder first.
pub static KINDS: &[Kind] = &[
    rung("filler", Style::Filler),
    rung("random", Style::Random),
    rung("setbuilder", Style::Profile(setbuilder::PROFILE)),
    rung("trader", Style::Profile(trader::PROFILE)),
    rung("face", Style::Face),
    rung("guide", Style::Profile(guide::PROFILE)),
    rung("tuned", Style::Profile(tuned::PROFILE)),
    climbed("evolved", evolved::WINNER),
    climbed("evolved-exchange", evolved::EXCHANGE),
    variant(
        "guide-minraise",
        Profile {
            jump: false,
            ..Profile::GUIDE
        },
    ),
    variant(
        "guide-cash",
        Profile {
            cash_cap: Some(1.0),
            over: true,
            ..Profile::GUIDE
        },
    ),
    variant(
        "tuned-cash",
        Profile {
            cash_cap: Some(1.0),
            over: true,
            ..tuned::PROFILE
        },
    ),
    variant(
        "overbidder",
        Profile {
            bid: 1.3,
            reserve: 0.0,
            pre_empt: 0.3,
            noise: 0.2,
            ..tuned::PROFILE
        },
    ),
    variant(
        "miser",
        Profile {
            bid: 0.4,
            reserve: 0.5,
            pre_empt: 0.1,
            noise: 0.2,
            ..tuned::PROFILE
        },
    ),
    variant(
        "zero-bluffer",
        Profile {
            bluff: 0.7,
            noise: 0.2,
            ..tuned::PROFILE
        },
    ),
    variant(
        "accepter",
        Profile {
            counter: (0.0, 0.0),
            noise: 0.2,
            ..tuned::PROFILE
        },
    ),
    climbed("climbed", base::WINNER),
    climbed("climbed-exchange", base::EXCHANGE),
];

/// The number of the type with this name.
#[cfg(test)]
pub(crate) fn kind_named(name: &str) -> Option<usize> {
    KINDS.iter().position(|kind| kind.name == name)
}

/// The value of a card to each player before any weighting, by seat.
#[must_use]
pub fn claims(herds: &[Herd; PLAYERS], card: Animal) -> [f32; PLAYERS] {
    let standing = Standing::from_herds(herds);
    std::array::from_fn(|seat| standing.claim(seat, card, herds[seat][card.index()], 1))
}

/// The greatest claim among the other three.
#[must_use]
pub fn best_other(claims: &[f32; PLAYERS], seat: usize) -> f32 {
    (1..PLAYERS)
        .map(|step| claims[(seat + step) % PLAYERS])
        .fold(0.0, f32::max)
}

impl Style {
    /// Answers an ask.
    pub fn act(
        &self,
        view: &View,
        ask: &Ask,
        limits: &mut Limits,
        chance: &mut impl Chance,
    ) -> Act {
        match self {
            Style::Filler => filler::act(view, ask).0,
            Style::Random => random::act(view, ask, chance).0,
            Style::Face => face::act(view, ask).0,
            Style::Profile(profile) => profile.act(view, ask, limits, chance),
        }
    }

    /// Records the limits for the card now up, given all players' claims.
    pub fn remember(
        &self,
        limits: &mut Limits,
        claims: &[f32; PLAYERS],
        seat: usize,
        view: &View,
        chance: &mut impl Chance,
    ) {
        if let Style::Profile(profile) = self {
            let rival = best_other(claims, seat);
            profile.remember(limits, claims[seat], rival, view, chance);
        }
    }

    /// The next bid over `price`.
    pub fn raise(
        &self,
        limits: &Limits,
        card: Animal,
        price: u16,
        cash: u16,
        chance: &mut impl Chance,
    ) -> Option<u16> {
        match self {
            Style::Filler => None,
            Style::Random => random::raise(cash, price, chance),
            Style::Face => face::raise(face::limit(card).min(cash), price),
            Style::Profile(profile) => profile.raise(limits.bid(), price, chance),
        }
    }
}
