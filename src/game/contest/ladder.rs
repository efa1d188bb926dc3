//! The ladder of a game's built-in bots: how they are made, and the signatures that stand for their play.

use super::interface::{Advice, Bout, Contest};
use crate::arena::{self, Acts, Arena};
use crate::game::SetupError;
use crate::game::{Bot, Budget, Seat};

/// The basis of FNV-1a, with 64 bits.
pub const DIGEST_BASIS: u64 = 0xCBF2_9CE4_8422_2325;
/// The prime of FNV-1a, with 64 bits.
pub const DIGEST_PRIME: u64 = 0x0100_0000_01B3;

/// The bot of this name.
///
/// # Errors
/// [`SetupError`] names those that exist.
pub fn make<C: Contest>(
    name: &str,
    seed: u64,
    advice: Advice<'_>,
) -> Result<Box<dyn Bot<C>>, SetupError> {
    C::bot(name, seed, advice).ok_or_else(|| {
        let names: Vec<&str> = C::CARD.bots.iter().map(|card| card.name).collect();
        let (game, names) = (C::CARD.name, names.join(", "));
        SetupError(format!("{game} has no bot {name:?}; it has {names}"))
    })
}

/// Bots by seat for [`arena::play`], their seeds counted from `seed`; `None` if one does not exist.
#[must_use]
pub fn seated<C: Contest>(names: &[&str], seed: u64) -> Option<Vec<Box<dyn Bot<C>>>> {
    let bot = |(name, seat): (&&str, u64)| C::bot(name, seed.wrapping_add(seat), Advice::Shipped);
    names.iter().zip(0..).map(bot).collect()
}

/// A number that changes only when the play of the bot with this name changes: a digest of its acts
/// in the fixed matches of [`Contest::bouts`]. `None`: there is no such bot.
#[must_use]
pub fn signature<C: Contest>(name: &str) -> Option<u64> {
    C::CARD.bot(name)?;
    let mut digest = DIGEST_BASIS;
    for bout in C::bouts(name)? {
        let bot = |(name, seed): &(&str, u64)| C::bot(name, *seed, Advice::Shipped);
        let mut bots: Vec<_> = bout.bots.iter().map(bot).collect::<Option<_>>()?;
        let mut watch = Digested {
            bout: &bout,
            digest,
        };
        let end = arena::play(&bout.setup, &mut bots, &mut watch);
        digest = fold(watch.digest, &C::end_text(&end.game));
    }
    Some(digest)
}

/// The digest of a text.
pub fn digest(text: &str) -> u64 {
    fold(DIGEST_BASIS, text)
}

fn fold(digest: u64, text: &str) -> u64 {
    let fold = |digest: u64, byte| (digest ^ u64::from(byte)).wrapping_mul(DIGEST_PRIME);
    text.bytes().fold(digest, fold)
}

/// Digests the acts of a bout.
struct Digested<'a, C: Contest> {
    bout: &'a Bout<'a, C>,
    digest: u64,
}

impl<C: Contest> Arena<C> for Digested<'_, C> {
    fn decide(&mut self, _: Seat, bot: &mut dyn Bot<C>, view: &C::View, ask: &C::Ask) -> C::Act {
        let nodes = self.bout.nodes.unwrap_or(C::BOUT_NODES);
        bot.decide(view, ask, Budget::nodes(nodes))
    }

    fn listens(&self, seat: Seat) -> bool {
        let bot = self.bout.bots.get(seat.index());
        bot.is_none_or(|(name, _)| C::listens(name))
    }

    fn arrive(&mut self, game: &mut C, acts: &mut Acts<C>) {
        (self.bout.arrange)(game, acts);
        for (seat, act) in acts {
            if self.bout.own.contains(&seat.index()) {
                self.digest = fold(self.digest, &C::act_text(act));
            }
        }
    }
}
