//! Players outside the ladder. Nobody trained against the `denier`, `all-in`, the `hoarder`, `wild`, `softy` and the
//! `bluffer`, and the champion has no type for them. The other policies are types of the champion's or nearly, two of them
//! company in the climb from which its own policy came; searchers depart from policies that are types.

use crate::bots::Seated;
use games::game::{Bot, Budget};
use games::koehandel::bots::champion::{Base, Champion, Horizon, base};
use games::koehandel::bots::policy::Profile;
use games::koehandel::bots::{evolved, tuned};
use games::koehandel::message::Message;
use games::koehandel::models::Models;
use games::koehandel::rules::{Act, Ask, Koehandel};
use games::koehandel::view::View;
use games::rng::Rng;

/// The champion with playouts to the end of the match.
const WHOLE: &str = "champion-whole";
/// The stream of the champion's chance.
const CHAMPION: u64 = 1 << 32;
/// The stream of a policy's chance, and that of a bluffer's bluffs.
const STREAM: u64 = 9;
const BLUFFS: u64 = 10;
/// How often a searcher plays a match out for a decision, unless its name says.
const PLAYOUTS: u64 = 100;

/// A player by its policy alone.
fn player(profile: Profile, seed: u64) -> Seated<Koehandel> {
    profile.player(Rng::new(seed, STREAM))
}

/// The stranger of this name.
pub(super) fn stranger(name: &str, seed: u64) -> Option<Seated<Koehandel>> {
    if name == "bluffer" {
        return Some(Box::new(Bluffer {
            inner: player(Profile::GUIDE, seed),
            rng: Rng::new(seed, BLUFFS),
            bluffs: None,
        }));
    }
    if name == WHOLE {
        let champion = Champion::new(Rng::new(seed, CHAMPION), &Models::none());
        return Some(Box::new(champion.with(Horizon::Match)));
    }
    if let Some(searcher) = Searcher::named(name, seed) {
        return Some(Box::new(searcher));
    }
    Some(player(profile(name)?, seed))
}

/// Plays whole matches out in its head, a set number of times a decision, with every rival as one type whatever it
/// does: `searcher-tuned-100` departs from the rung `tuned`, takes the others for the same, and does so 100 times.
/// `searcher-base` departs from the champion's own policy and takes the others for `evolved`.
#[derive(Clone)]
struct Searcher {
    inner: Champion,
    playouts: u64,
}

impl Searcher {
    fn named(name: &str, seed: u64) -> Option<Self> {
        let mut words = name.strip_prefix("searcher-")?.split('-');
        let (base, rivals): (Base, _) = match words.next()? {
            "tuned" => (|_| &tuned::PROFILE, "tuned"),
            "evolved" => (evolved::profile, "evolved"),
            "base" => (base::base, "evolved"),
            _ => return None,
        };
        let playouts = match words.next() {
            Some(number) => number.parse().ok()?,
            None => PLAYOUTS,
        };
        let rng = Rng::new(seed, STREAM);
        let inner = Champion::searcher(rng, base, rivals);
        words.next().is_none().then_some(Self { inner, playouts })
    }
}

impl Bot<Koehandel> for Searcher {
    fn observe(&mut self, message: &Message) {
        self.inner.observe(message);
    }

    fn decide(&mut self, view: &View, ask: &Ask, _: Budget<'_>) -> Act {
        self.inner.decide(view, ask, Budget::nodes(self.playouts))
    }
}

/// Variants of the ladder's policies.
fn profile(name: &str) -> Option<Profile> {
    let tuned = tuned::PROFILE;
    Some(match name {
        "guide-cash" => Profile {
            cash_cap: Some(1.0),
            ..Profile::GUIDE
        },
        "guide-minraise" => Profile {
            jump: false,
            ..Profile::GUIDE
        },
        "tuned-cash" => Profile {
            cash_cap: Some(1.0),
            ..tuned
        },
        "all-in" => Profile {
            offer: (9.0, 9.0),
            counter: (9.0, 9.0),
            bid: 0.9,
            ..tuned
        },
        "hoarder" => Profile {
            bid: 0.15,
            reserve: 0.6,
            ..tuned
        },
        "wild" => Profile {
            bid: 2.0,
            noise: 0.6,
            reserve: 0.0,
            jump: true,
            pre_empt: 1.0,
            denial: 0.2,
            bluff: 0.4,
            offer: (0.0, 1.2),
            counter: (0.0, 1.2),
            ..tuned
        },
        "denier" => Profile {
            denial: 1.5,
            trade_denial: 1.5,
            bid: 0.5,
            ..tuned
        },
        "softy" => Profile {
            counter: (0.0, 0.0),
            bid: 0.85,
            reserve: 0.05,
            ..tuned
        },
        _ => return None,
    })
}

/// Bids far above its cash every third card, else plays as the guide: drives prices, is often caught.
#[derive(Clone)]
struct Bluffer {
    inner: Seated<Koehandel>,
    rng: Rng,
    bluffs: Option<(u8, bool)>,
}

impl Bot<Koehandel> for Bluffer {
    fn observe(&mut self, _: &Message) {}

    fn decide(&mut self, view: &View, ask: &Ask, budget: Budget<'_>) -> Act {
        if let Ask::Bid { price, .. } = ask {
            let fresh = self.bluffs.is_none_or(|(at, _)| at != view.deck_left);
            if fresh {
                self.bluffs = Some((view.deck_left, self.rng.chance(0.33)));
            }
            let most = view.purse.value() * 2 + 100;
            if matches!(self.bluffs, Some((_, true))) && *price + 10 < most && !view.exposed[0] {
                return Act::bid(price + 10);
            }
        }
        self.inner.decide(view, ask, budget)
    }
}
