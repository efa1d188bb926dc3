//! Players beside the ladder, that nobody trained against.

use crate::field::Seated;
use games::game::{Bot, Budget};
use games::koehandel::bots::policy::{Player, Profile};
use games::koehandel::message::Message;
use games::koehandel::rules::{Act, Ask, Koehandel};
use games::koehandel::view::View;
use games::rng::Rng;

/// The stream of a policy's chance, and that of a bluffer's bluffs.
const STREAM: u64 = 9;
const BLUFFS: u64 = 10;

/// A player by its policy alone.
pub(super) fn player(profile: Profile, seed: u64) -> Player {
    Player::new(profile, Rng::new(seed, STREAM))
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
    Some(Box::new(player(profile(name)?, seed)))
}

/// Variants of the ladder's policies.
fn profile(name: &str) -> Option<Profile> {
    let tuned = Profile {
        bid: 0.7,
        reserve: 0.1,
        pre_empt: 0.1,
        jump: false,
        ..Profile::GUIDE
    };
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
    inner: Player,
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
